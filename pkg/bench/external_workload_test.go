package bench_test

import (
	"context"
	"flag"
	"net/http"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// external proves that a workload can be added with one file, from another package, even if its requests are new: it needs
// only what bench and s3 export. The common suite takes it like all others.
type external struct {
	work.Prepared
	work.Existing
}

// exists is a kind of operation that no other workload records.
const exists op.Kind = "EXISTS"

func init() {
	bench.Add(work.Info{Name: "external", Size: "1KiB", New: func() work.Workload { return &external{} }})
}

func (e *external) Flags(fs *flag.FlagSet) {
	e.Prepared.Bind(fs, 1000, work.OrExisting)
	e.Existing.Bind(fs)
}

func (e *external) Validate(*bench.Stream, generator.Spec) []error { return e.Prepared.Check() }

func (e *external) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{exists}},
		Data:    work.Data{Objects: e.Objects, Existing: e.ListExisting, Flat: e.ListFlat},
		Sharing: work.Sharing{Shares: true},
	}
}

func (e *external) Do(ctx context.Context, w *work.Worker) error {
	return w.Request(ctx, exists, w.Set.Pick(w.Turn.N), func(ctx context.Context, s s3.Session, c *s3.Call) error {
		c.Begin(http.MethodHead, s3.ReadsWrites)
		return s.Do(ctx, c)
	})
}
