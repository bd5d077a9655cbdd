package bench_test

import (
	"context"
	"flag"
	"net/http"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// elsewhere proves that a workload can be added with one file, from another package, even if its requests are new: it needs
// only what bench and s3 export. The common suite takes it like all others.
type elsewhere struct {
	bench.Prepared
	bench.Existing
}

// exists is a kind of operation that no other workload records.
const exists op.Kind = "EXISTS"

func init() {
	bench.Add(bench.Info{Name: "elsewhere", Size: "1KiB", New: func() bench.Workload { return &elsewhere{} }})
}

func (e *elsewhere) Flags(fs *flag.FlagSet) {
	e.Prepared.Bind(fs, 1000, bench.OrExisting)
	e.Existing.Bind(fs)
}

func (e *elsewhere) Validate(*bench.Stream, generator.Spec) []error { return e.Prepared.Check() }

func (e *elsewhere) Traits() bench.Traits {
	return bench.Traits{Kinds: []op.Kind{exists}, Effect: bench.Reads, Objects: e.Objects, Existing: e.ListExisting, Flat: e.ListFlat, Shares: true}
}

func (e *elsewhere) Do(ctx context.Context, w *bench.Worker) error {
	return w.Request(ctx, exists, w.Set.Pick(w.Turn.N), func(ctx context.Context, s s3.Session, c *s3.Call) error {
		c.Begin(http.MethodHead, s3.ReadsWrites)
		return s.Do(ctx, c)
	})
}
