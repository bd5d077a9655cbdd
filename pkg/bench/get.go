package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var errContent = errors.New("an object does not hold what was uploaded")

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
}

// Flags binds the parameters.
func (g *Get) Flags(fs *flag.FlagSet) {
	g.Prepared.Bind(fs, 2500, OrExisting)
	g.Existing.Bind(fs)
	g.Ranges.Bind(fs)
}

// Validate checks the parameters.
func (g *Get) Validate(_ *Stream, data generator.Spec) []error {
	return append(g.Prepared.Check(), g.Ranges.Check(data, g.ListExisting)...)
}

// Traits declares that objects are only read.
func (g *Get) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Get}, Effect: Reads, Objects: g.Objects, Existing: g.ListExisting, Flat: g.ListFlat, Shares: true}
}

// Do downloads one object.
func (g *Get) Do(ctx context.Context, w *Worker) error {
	return g.Get(ctx, w, w.Set.Pick(w.Turn.N))
}

// Get downloads o, or the range of it that belongs to the turn.
func (r *Ranges) Get(ctx context.Context, w *Worker, o Object) error {
	return w.Op(ctx, op.Get, func(rec *op.Op) error {
		c := w.Object(o, rec)
		c.Offset, c.Length = r.span(&w.Set.Access, w.Turn.N, o.Size)
		if r.Verify {
			w.check.Reset(o.Index, c.Offset)
			c.Into = w.check
		}
		err := s3.Get(ctx, w.S3, c)
		rec.Bytes = c.Bytes
		if r.Verify && err == nil {
			err = w.verdict(o)
		}
		return err
	})
}

// verdict is an error if a download that was checked brought a wrong byte.
func (w *Worker) verdict(o Object) error {
	off, wrong := w.check.Wrong()
	if !wrong {
		return nil
	}
	return &s3.Error{
		Class: "wrong content", Status: w.Call.Status, Err: errContent,
		Message: fmt.Sprintf("byte %d of %q is not what was uploaded", off, o.Key),
	}
}
