package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"warp/cli/internal/process"
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

func TestGateRules(t *testing.T) {
	for _, c := range []struct {
		rules []string
		one   bool   // result, not a comparison
		want  string // of the error; empty: none
	}{
		{nil, true, ""},
		{[]string{"GET.p99>50ms", "errors>0.1%,PUT.throughput<100MiB/s"}, true, ""},
		{[]string{"GET.p99>50ms", "GET.p99>+10%"}, false, ""},
		{[]string{"GET.p99>50ms", "GET.p99>+10%"}, true, `--fail-if: "GET.p99 > +10%" is about a change, which only "warp cmp" knows`},
		{[]string{"GET.p99>50ms", "GET.p99=5ms"}, true, `--fail-if: rule "GET.p99=5ms", character 8: `},
		{[]string{"GET.p99"}, false, `--fail-if: rule "GET.p99", character 8: `},
		{[]string{"search.rate<4000/s,errors>0"}, true, ""},
		{[]string{"search.speed<4"}, true, `--fail-if: invalid value "search.speed<4" (want search.rate<4000/s or search.threads<64; search.rate<-5% of a comparison)`},
		{[]string{""}, false, `--fail-if: rule "", character 1: `},
	} {
		g := &Flags{c.rules}
		_, err := g.rules()
		if c.one {
			_, err = g.OfOne()
		}
		if c.want == "" && err != nil {
			t.Errorf("%q: %v", c.rules, err)
		}
		if c.want != "" && (process.ExitCode(err) != process.ExitUsage || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q: error %v, want %q", c.rules, err, c.want)
		}
	}
}

func TestGateKinds(t *testing.T) {
	for rule, want := range map[string]bool{"GET.p99>1s": true, "total.objects<5": true, "errors>0": true, "delete.errors>0": true, "GTE.p99>1s": false, "SELECTS.errors>0": false} {
		rules, err := (&Flags{[]string{rule}}).OfOne()
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Of.CheckKinds(); (err == nil) != want {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// TestVerdict: all rules that are broken are told, and those about which nothing is known.
func TestVerdict(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	ops := []op.Op{{Kind: op.Get, Start: now, End: now.Add(time.Second), Err: "timeout: x"}, {Kind: op.Get, Start: now, End: now.Add(time.Second)}}
	bounds := aggregate.NewBounds(aggregate.Options{})
	err := bounds.Write(ops)
	a := aggregate.New(aggregate.Options{}, bounds.Windows())
	if err = errors.Join(err, a.Write(ops)); err != nil {
		t.Fatal(err)
	}
	s := a.Snapshot()
	for _, c := range []struct {
		rules, want string
		code        int
	}{
		{"errors>1", "", process.ExitOK},
		{"errors>0,errors>40%,errors>60%", "--fail-if: GET.errors = 1, rule: errors > 0\n--fail-if: GET.errors = 50%, rule: errors > 40%", process.ExitGate},
		{"PUT.errors>0", "--fail-if: not known: no PUT operations in this run (found GET), rule: PUT.errors > 0", process.ExitUnknown},
		{"PUT.errors>0,errors>0", "--fail-if: GET.errors = 1, rule: errors > 0\n--fail-if: not known: no PUT operations in this run (found GET), rule: PUT.errors > 0", process.ExitGate},
	} {
		rules, err := (&Flags{[]string{c.rules}}).OfOne()
		if err != nil {
			t.Fatal(err)
		}
		err = rules.Judge(s, nil).Err()
		if process.ExitCode(err) != c.code || err != nil && err.Error() != c.want {
			t.Errorf("%s: code %d, %v; want %q", c.rules, process.ExitCode(err), err, c.want)
		}
	}
}
