package bench

import (
	"context"
	"flag"

	"warp/pkg/op"
	"warp/pkg/s3"
)

var statInfo = Info{
	Name:        "stat",
	Usage:       "benchmark requests for object information (HEAD)",
	Description: "Uploads --objects objects, then asks for their properties for --duration, in the order that get uses.",
	Size:        "1KB",
	Example:     "--objects=10000 --duration=1m",
	New:         func() Workload { return &Stat{} },
}

// Stat asks for the properties of objects.
type Stat struct {
	Prepared
	Existing
}

// Flags binds the parameters.
func (s *Stat) Flags(fs *flag.FlagSet) {
	s.Prepared.flags(fs, 10000, orExisting)
	s.Existing.flags(fs)
}

// Validate checks the parameters.
func (s *Stat) Validate(*Plan, *Phase) []error { return s.Prepared.validate() }

// Traits declares that objects are only read.
func (s *Stat) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Stat}, Effect: Reads, Objects: s.Objects, Existing: s.ListExisting, Flat: s.ListFlat, Shares: true}
}

// Do asks for one object.
func (s *Stat) Do(ctx context.Context, w *Worker, rec *op.Op) error {
	return w.stat(ctx, w.Set.Pick(w.Turn.N), rec)
}

// stat asks for the properties of o.
func (w *Worker) stat(ctx context.Context, o Object, rec *op.Op) error {
	rec.Kind = op.Stat
	return s3.Stat(ctx, w.S3, w.Object(o, rec))
}
