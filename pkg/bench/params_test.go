package bench_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
)

// TestZeroParams: a parameter that is 0, false or empty is so in the plan too, even if its default is another value.
func TestZeroParams(t *testing.T) {
	for _, info := range work.Registry() {
		all := flag.NewFlagSet("", flag.ContinueOnError)
		info.New().Flags(all)
		all.VisitAll(func(f *flag.Flag) {
			for _, zero := range []string{"0", "false", ""} {
				w, fs := info.New(), flag.NewFlagSet("", flag.ContinueOnError)
				w.Flags(fs)
				if fs.Set(f.Name, zero) != nil {
					continue
				}
				ph, err := bench.NewPhase(info.Name, w)
				if err != nil {
					t.Fatal(err)
				}
				decoded := info.Default()
				if err := json.Unmarshal(ph.Params, decoded); err != nil {
					t.Fatal(err)
				}
				if again, err := json.Marshal(decoded); err != nil || !bytes.Equal(again, ph.Params) {
					t.Errorf("%s --%s=%s: the plan has %s, which becomes %s (%v)", info.Name, f.Name, zero, ph.Params, again, err)
				}
			}
		})
	}
}
