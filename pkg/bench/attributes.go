package bench

import (
	"context"
	"flag"

	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var attributesInfo = Info{
	Name:  "attributes",
	Usage: "benchmark requests for the attributes of objects (GetObjectAttributes)",
	Description: "Uploads --objects objects, then requests their attributes (ETag, parts, size, storage class) for --duration, in the order " +
		"that get uses. The size among them is checked.",
	Size:    "1KB",
	Example: "--objects=10000 --duration=1m",
	New:     func() Workload { return &Attributes{} },
}

// Attributes requests the attributes of objects.
type Attributes struct {
	Prepared
	Existing
	Picks
}

// Flags binds the parameters.
func (a *Attributes) Flags(fs *flag.FlagSet) {
	a.Prepared.Bind(fs, 10000, OrExisting)
	a.Existing.Bind(fs)
	a.Picks.Bind(fs, generator.AccessForms, UsualAccess)
}

// Validate checks the parameters.
func (a *Attributes) Validate(*Stream, generator.Spec) []error {
	return append(a.Prepared.Check(), a.Picks.Check(a.Objects, a.ListExisting)...)
}

// Traits declares that objects are only read.
func (a *Attributes) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Attributes}, Effect: Reads, Objects: a.Objects, Existing: a.ListExisting, Flat: a.ListFlat, Shares: true, Access: a.Access, Probe: a.Probe}
}

// Do requests those of one object.
func (a *Attributes) Do(ctx context.Context, w *Worker) error {
	return w.Request(ctx, op.Attributes, w.Set.Pick(w.Turn.N), s3.GetAttributes)
}

// Probe makes sure that the server sends attributes.
func (a *Attributes) Probe(ctx context.Context, p *Probe) error {
	return s3.GetAttributes(ctx, p.S3, p.Call())
}
