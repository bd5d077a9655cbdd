package workload

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

var fanoutInfo = work.Info{
	Name:  "fanout",
	Usage: "upload once, have the server store several objects (MinIO)",
	Description: "Uploads by a form (POST); the server stores each upload as --copies objects. Bytes count all " +
		"copies. This is a MinIO extension.",
	Size:    "1MiB",
	Example: "--copies=10 --obj.size=64KiB",
	New:     func() work.Workload { return &Fanout{} },
}

var fanoutShare = companion{
	workload: "fanout",
	shares:   []companionShare{{"fanout", "uploads that the server stores as --copies objects (MinIO)"}},
	make: func(m *Mixed) work.Workload {
		f := defaults(&Fanout{})
		f.Copies = m.Copies
		return f
	},
}

// Fanout uploads contents that the server stores several times.
type Fanout struct {
	Copies int `json:"copies"`
}

// maxCopies is the maximum number of objects of an upload.
const maxCopies = 1000

// Flags binds the parameters.
func (f *Fanout) Flags(fs *flag.FlagSet) {
	fs.IntVar(&f.Copies, "copies", 100, "`N` objects that an upload creates")
}

// Validate checks the parameters.
func (f *Fanout) Validate(work.Load, generator.Spec) []error {
	if f.Copies < 1 || f.Copies > maxCopies {
		return []error{option.Invalid("copies", f.Copies, "1 to 1000")}
	}
	return nil
}

// Traits declares that objects are added.
func (f *Fanout) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Post}},
		Data:    work.Data{Rewrites: true},
		Sends:   work.Sends{SignedAhead: true, Demands: work.NewDemands(probe.FanOut)},
		Sharing: work.Sharing{OneBucket: true},
	}
}

// Estimate returns the cost of uploads.
func (f *Fanout) Estimate(t work.Turns) (c work.Cost) {
	c.Upload(op.Post, t)
	c.Objects, c.Stored = c.Objects*uint64(f.Copies), c.Stored*int64(f.Copies)
	return c
}

// Do uploads contents once.
func (f *Fanout) Do(ctx context.Context, w *work.Worker) error { return FanOut(ctx, w, f.Copies) }
