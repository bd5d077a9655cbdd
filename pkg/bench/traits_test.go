package bench_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/op"
)

// tagger is a workload as it might be added: it can work on existing objects, and writes.
type tagger struct {
	bench.Existing
	Said bench.Traits // what it says about itself, which may be untrue
}

func (w *tagger) Traits() bench.Traits { return w.Said }

func (w *tagger) Flags(*flag.FlagSet) {}

func (w *tagger) Prepare(ctx context.Context, set *bench.DataSet) error {
	return set.Adopt(ctx, false, 0, bench.Solo{}.Share())
}

func (w *tagger) Do(ctx context.Context, wk *bench.Worker, rec *op.Op) error {
	rec.Kind = op.Put
	c := wk.Object(wk.Set.Pick(wk.Turn.N), rec)
	c.Body, c.Size = strings.NewReader("changed"), 7
	return wk.S3.Put(ctx, c)
}

// A workload that works on existing objects and writes is refused without --force, whatever it embeds and whatever it says
// about itself.
func TestWritingToExistingNeedsForce(t *testing.T) {
	var said bench.Traits
	bench.Register(t, bench.Info{Name: "tag", New: func() bench.Workload { return &tagger{Said: said} }})
	for _, tc := range []struct {
		name string
		said bench.Traits
		want string // part of the error, or of those of all operations
	}{
		{"it says what is true", bench.Traits{Existing: true}, "--force"},
		{"it says nothing", bench.Traits{}, "traits do not say so"},
		{"it says that it only reads", bench.Traits{Existing: true, OnlyReads: true}, "only reads"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			said = tc.said
			f := newForeign(t)
			m, _, err := job{workload: "tag", change: func(p *bench.Plan) { p.Data.Prefix = "mine" }}.run(context.Background(), t, f.store)
			if err == nil != tc.said.OnlyReads || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: %v", err)
			}
			if err == nil && (len(m.ops) == 0 || !strings.Contains(m.failed(), tc.want)) {
				t.Errorf("%d operations; failed: %s", len(m.ops), m.failed())
			}
			f.check(t)
		})
	}
	said = bench.Traits{Existing: true}
	f := newForeign(t)
	m, _, err := job{workload: "tag", change: func(p *bench.Plan) { p.Data.Prefix, p.Force = "mine", true }}.run(context.Background(), t, f.store)
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
