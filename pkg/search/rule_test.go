package search

import (
	"strings"
	"testing"
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
	for text, want := range map[string]bool{"search.rate<1/s": false, "search.rate<1e6/s": true, "search.rate>1/s": true, "search.rate>=1e6/s": false, "search.rate<=1e6": true} {
		rules, _, err := CutRules([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		if broken, said, err := rules[0].Judge(rec); broken != want || err != nil || !strings.Contains(said, text) {
			t.Errorf("%s: %v, %q, %v", text, broken, said, err)
		}
		if broken, said, _ := rules[0].Judge(&Record{Config: *c}); broken != strings.Contains(text, "<") || !strings.Contains(said, "incomplete") {
			t.Errorf("nothing was held, %s: %v, %q", text, broken, said)
		}
	}
	rules, _, _ := CutRules([]string{"search.threads<4"})
	if _, _, err := rules[0].Judge(rec); err == nil {
		t.Error("a rule about threads judges rates")
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
