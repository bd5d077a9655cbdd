package bench_test

import (
	"flag"
	"slices"
	"testing"

	"warp/pkg/bench"
)

func TestTraces(t *testing.T) {
	plan := func(workload string, args ...string) *bench.Plan {
		info, _ := bench.Lookup(workload)
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
		return &bench.Plan{Seed: 7, Phases: []bench.Phase{ph}}
	}
	p := plan("get")
	if a, b := p.Traces(0), p.Traces(1); len(a) != 3+1 || slices.ContainsFunc(a, func(dir string) bool { return slices.Contains(b, dir) }) {
		t.Errorf("two clients leave traces below %q and %q", a, b)
	}
	p.Data.NoPrefix, p.Data.Prefix = true, "mine"
	if got := p.Traces(0); !slices.Equal(got, []string{"mine/"}) {
		t.Errorf("without prefixes of threads: %q", got)
	}
	p.KeepData = true
	if got := p.Traces(0); got != nil {
		t.Errorf("with data that stays: %q", got)
	}
	if got := plan("get", "-list-existing").Traces(0); got != nil {
		t.Errorf("of a plan that makes nothing: %q", got)
	}
}
