package bench_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// overwriter is a workload as it might be added: it can work on existing objects, and writes.
type overwriter struct {
	work.Existing
	Declared work.Traits // what it says about itself, which may be untrue
}

func (w *overwriter) Traits() work.Traits { return w.Declared }

func (w *overwriter) Flags(*flag.FlagSet) {}

func (w *overwriter) Do(ctx context.Context, wk *work.Worker) error {
	return wk.Op(ctx, op.Put, func(rec *op.Op) error {
		c := wk.Object(wk.Set.Pick(wk.Turn.N), rec)
		c.Body, c.Size = strings.NewReader("changed"), 7
		return ops.Put(ctx, wk.S3, c)
	})
}

// A workload that works on existing objects and writes is refused without --force, whatever it embeds and whatever it
// declares.
func TestWritingToExistingNeedsForce(t *testing.T) {
	var declared work.Traits
	bench.Register(t, work.Info{Name: "overwrite", New: func() work.Workload { return &overwriter{Declared: declared} }})
	puts := []op.Kind{op.Put}
	for _, tc := range []struct {
		name     string
		declared work.Traits
		want     string // part of the error, or of the errors of all operations
	}{
		{"the truth", work.Traits{Effect: work.Changes, Records: work.Records{Kinds: puts}, Data: work.Data{Existing: true}}, "--force"},
		{"nothing", work.Traits{}, "do not state"},
		{"no effect", work.Traits{Records: work.Records{Kinds: puts}, Data: work.Data{Existing: true}}, "do not state"},
		{"no kinds", work.Traits{Effect: work.Changes, Data: work.Data{Existing: true}}, "do not state"},
		{"that it only reads", work.Traits{Effect: work.Reads, Records: work.Records{Kinds: puts}, Data: work.Data{Existing: true}}, "only reads"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			declared = tc.declared
			f := newForeign(t)
			m, _, err := job{workload: "overwrite", change: func(p *bench.Plan) { p.Data.Prefix = "mine" }}.run(context.Background(), t, f.store)
			if reads := tc.declared.Effect == work.Reads; err == nil != reads || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: %v", err)
			}
			if err == nil && (len(m.ops) == 0 || !strings.Contains(m.failed(), tc.want)) {
				t.Errorf("%d operations; failed: %s", len(m.ops), m.failed())
			}
			f.check(t)
		})
	}
	declared = work.Traits{Effect: work.Changes, Records: work.Records{Kinds: puts}, Data: work.Data{Existing: true}}
	f := newForeign(t)
	m, _, err := job{workload: "overwrite", change: func(p *bench.Plan) { p.Data.Prefix, p.Force = "mine", true }}.run(context.Background(), t, f.store)
	if err != nil || m.failed() != "" || len(m.ops) == 0 {
		t.Errorf("with --force: %v, %d operations, failed: %s", err, len(m.ops), m.failed())
	}
}

// A prefix of only slashes is empty: all objects of the bucket would be deleted.
func TestDeleteExistingBelowSlash(t *testing.T) {
	f := newForeign(t)
	for _, prefix := range []string{"/", "///"} {
		j := job{workload: "delete", args: []string{"-list-existing"}, change: func(p *bench.Plan) { p.Data.Prefix, p.Force = prefix, true }}
		if _, _, err := j.run(context.Background(), t, f.store); err == nil || !strings.Contains(err.Error(), "is no prefix") {
			t.Errorf("prefix %q: %v", prefix, err)
		}
	}
	f.check(t)
}
