package search

import (
	"strings"
	"testing"

	"warp/pkg/gate"
)

func TestRules(t *testing.T) {
	rules, others, err := CutRules([]string{"GET.p99>50ms, search.rate<4000/s", "errors>0.1%", "Search.Threads >= 64"})
	if err != nil || len(rules) != 2 || strings.Join(others, ";") != "GET.p99>50ms;errors>0.1%" {
		t.Fatal(rules, others, err)
	}
	if r := rules[0]; r.Control != Rate || r.Op != "<" || r.Value != 4000 {
		t.Errorf("%+v", r)
	}
	if r := rules[1]; r.Control != Threads || r.Op != ">=" || r.Value != 64 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"search.rate", "search.rate<", "search.speed<5", "search.rate<fast", "search.rate<-1", "search.rate<NaN", "search.p99<5ms", "search.rate<5%", "search.rate<+%"} {
		if _, _, err := CutRules([]string{bad}); err == nil || !strings.Contains(err.Error(), wantRule) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestJudge(t *testing.T) {
	c := config(t, 5, "p99<50ms")
	rec := &Record{Config: *c, Trials: run(c, models[0].model.seeded(5))}
	held := rec.Result().Boundary.Held
	if i := rec.HeldTrial(); i < 0 || rec.Trials[i].Rate != held || rec.Trials[i].Purpose != Hold {
		t.Errorf("held in trial %d", i)
	}
	for text, want := range map[string]gate.Verdict{
		"search.rate<1/s": gate.Held, "search.rate<1e6/s": gate.Broken, "search.rate>1/s": gate.Broken, "search.rate>=1e6/s": gate.Held, "search.rate<=1e6": gate.Broken,
	} {
		rules, _, err := CutRules([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		if got, said, err := rules[0].Judge(rec); got != want || err != nil || !strings.Contains(said, text) {
			t.Errorf("%s: %v, %q, %v", text, got, said, err)
		}
		if got, said, _ := rules[0].Judge(&Record{Config: *c}); got != gate.Unknown || !strings.Contains(said, "not known (incomplete)") {
			t.Errorf("nothing was held, %s: %v, %q", text, got, said)
		}
	}
	rules, _, _ := CutRules([]string{"search.threads<4"})
	if _, _, err := rules[0].Judge(rec); err == nil {
		t.Error("a rule about threads judges rates")
	}
}

// TestJudgeBounds: where the store may be able to do more than what was held, a rule is decided only if more would not decide otherwise.
func TestJudgeBounds(t *testing.T) {
	for _, c := range []struct {
		rule   string
		status Status
		held   float64
		want   gate.Verdict
		figure string
	}{
		{"search.rate<100/s", Held, 120, gate.Held, "= 120.00"},
		{"search.rate<100/s", Held, 80, gate.Broken, "= 80.00"},
		{"search.rate<100/s", Infeasible, 0, gate.Broken, "= 0 (infeasible)"},
		{"search.rate>100/s", Infeasible, 0, gate.Held, "= 0 (infeasible)"},
		{"search.rate<100/s", ClientLimited, 120, gate.Held, "at least 120.00 (client-limited)"},
		{"search.rate<100/s", ClientLimited, 80, gate.Unknown, "not known: at least 80.00 (client-limited)"},
		{"search.rate>100/s", ClientLimited, 120, gate.Broken, "at least 120.00 (client-limited)"},
		{"search.rate>100/s", ClientLimited, 80, gate.Unknown, "not known: at least 80.00 (client-limited)"},
		{"search.rate<100/s", ClientLimited, 0, gate.Unknown, "not known (client-limited)"},
		{"search.rate<100/s", Unlimited, 80, gate.Unknown, "not known: at least 80.00 (unlimited)"},
		{"search.rate<100/s", Incomplete, 0, gate.Unknown, "not known (incomplete)"},
	} {
		rules, _, err := CutRules([]string{c.rule})
		if err != nil {
			t.Fatal(err)
		}
		if got, figure := rules[0].judge(c.status, c.held); got != c.want || figure != c.figure {
			t.Errorf("%s, %s at %v: %s %q, want %s %q", c.rule, c.status, c.held, got, figure, c.want, c.figure)
		}
	}
}

func FuzzCutRules(f *testing.F) {
	f.Add("search.rate<4000/s,GET.p99>5ms")
	f.Add("search.threads>=4")
	f.Add("search.rate<-5%,search.rate>+ 10%")
	f.Fuzz(func(t *testing.T, text string) {
		rules, _, err := CutRules([]string{text})
		for _, r := range rules {
			if err != nil || r.Op == "" || !(r.Value >= 0 || r.Relative) {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}
