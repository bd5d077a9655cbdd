package bench_test

import (
	"flag"
	"slices"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
)

func TestPrefixes(t *testing.T) {
	plan := func(change func(*bench.Plan), workload string, args ...string) *bench.Compiled {
		info, _ := work.Lookup(workload)
		w := info.New()
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		w.Flags(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		ph, err := bench.NewPhase(workload, w)
		if err != nil {
			t.Fatal(err)
		}
		ph.Concurrency = 3
		p := &bench.Plan{Seed: 7, Phases: []bench.Phase{ph}}
		change(p)
		return bench.Decoded(t, p)
	}
	p := plan(func(*bench.Plan) {}, "get")
	if a, b := p.Prefixes(0), p.Prefixes(1); len(a) != 3+1 || slices.ContainsFunc(a, func(dir string) bool { return slices.Contains(b, dir) }) {
		t.Errorf("two clients have objects below %q and %q", a, b)
	}
	flat := func(p *bench.Plan) { p.Data.NoPrefix, p.Data.Prefix = true, "mine" }
	if got := plan(flat, "get").Prefixes(0); !slices.Equal(got, []string{"mine/"}) {
		t.Errorf("without prefixes of threads: %q", got)
	}
	if got := plan(func(p *bench.Plan) { p.KeepData = true }, "get").Prefixes(0); got != nil {
		t.Errorf("with data that is kept: %q", got)
	}
	if got := plan(func(*bench.Plan) {}, "get", "-list-existing").Prefixes(0); got != nil {
		t.Errorf("of a plan that makes nothing: %q", got)
	}
}
