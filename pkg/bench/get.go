package bench

import (
	"context"
	"flag"
	"slices"

	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var getInfo = Info{
	Name:  "get",
	Usage: "benchmark downloads of objects",
	Description: "Uploads --objects objects, then downloads them for --duration. Each object is read once before any is " +
		"read twice; the order is a new one in each pass. With --range parts of objects are read.",
	Size:    "10MiB",
	Example: "--objects=1000 --obj.size=1MiB --duration=1m",
	New:     func() Workload { return &Get{} },
}

// Get downloads objects, or ranges of them.
type Get struct {
	Prepared
	Existing
	Ranges
	Conditions
	Presign bool `json:"presign,omitempty"`
}

// Flags binds the parameters.
func (g *Get) Flags(fs *flag.FlagSet) {
	g.Prepared.Bind(fs, 2500, OrExisting)
	g.Existing.Bind(fs)
	g.Ranges.Bind(fs)
	fs.BoolVar(&g.Presign, "presign", false, "sign URLs before the requests start, instead of a header")
	g.Conditions.Bind(fs)
}

// Validate checks the parameters.
func (g *Get) Validate(_ *Stream, data generator.Spec) []error {
	return slices.Concat(g.Prepared.Check(), g.Ranges.Check(data, g.ListExisting), g.Conditions.Check())
}

// Traits declares that objects are only read.
func (g *Get) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Get}, Effect: Reads, Objects: g.Objects, Existing: g.ListExisting, Flat: g.ListFlat, Shares: true, If: g.Conditions}
}

// Do downloads one object.
func (g *Get) Do(ctx context.Context, w *Worker) error {
	if g.Presign {
		w.Auth = s3.AuthQuery
	}
	return g.Get(ctx, w, w.Set.Pick(w.Turn.N))
}
