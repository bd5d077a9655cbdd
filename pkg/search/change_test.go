package search

import (
	"math"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/compare"
	"warp/pkg/gate"
)

// found returns a search in a model whose service is slower by a factor.
func found(t testing.TB, model int, seed uint64, slower float64) Record {
	t.Helper()
	c := config(t, seed, "p99<50ms")
	s := models[model].model
	s.service *= slower
	return Record{Config: *c, Trials: run(c, s.seeded(seed))}
}

var at95 = compare.Options{Confidence: 0.95}

func TestCompare(t *testing.T) {
	before, after := []Record{found(t, 0, 1, 1)}, []Record{found(t, 0, 2, 1.25)}
	list := Compare([][]Record{before}, [][]Record{after}, at95)
	if len(list) != 1 || !list[0].Significant || list[0].Verdict != compare.Regressed || list[0].CI.Low > -0.2 || list[0].CI.High < -0.2 {
		t.Fatalf("a store that is a quarter slower: %+v", list)
	}
	back := Compare([][]Record{after}, [][]Record{before}, at95)[0]
	if back.Verdict != compare.Improved || math.Abs((1+*back.Relative)*(1+*list[0].Relative)-1) > 1e-9 || math.Abs((1+back.CI.Low)*(1+list[0].CI.High)-1) > 1e-9 {
		t.Errorf("the other way round: %+v, and %+v", back, list[0])
	}
	if c := Compare([][]Record{before}, [][]Record{before}, at95)[0]; c.Significant || *c.P != 1 || *c.Relative != 0 {
		t.Errorf("of a search with itself: %+v", c)
	}
	if c := Compare([][]Record{before}, [][]Record{after}, compare.Options{Confidence: 0.95, Threshold: 0.5})[0]; c.Significant {
		t.Errorf("below the threshold: %+v", c)
	}
	three := [][]Record{before, {found(t, 0, 3, 1)}, {found(t, 0, 4, 1)}}
	if c := Compare(three, [][]Record{after}, at95)[0]; c.Before.Runs != 3 || c.Verdict != compare.Regressed {
		t.Errorf("three runs against one: %+v", c)
	}
}

// TestCompareOthers: boundaries that were not found, or are of other objectives, make no claim.
func TestCompareOthers(t *testing.T) {
	whole := found(t, 0, 1, 1)
	short, other, named := whole, whole, whole
	short.Trials = whole.Trials[:3]
	other.Config.Objectives = config(t, 1, "p99<20ms").Objectives
	named.Stream = "reads"
	for _, tt := range []struct {
		after Record
		want  string
	}{{short, "the boundary was not found on both sides: held, and incomplete"}, {other, "the searches looked for different loads"}} {
		list := Compare([][]Record{{whole}}, [][]Record{{tt.after}}, at95)
		if len(list) != 1 || list[0].Relative != nil || list[0].Verdict != compare.Unclear || !strings.Contains(list[0].Note, tt.want) {
			t.Errorf("%+v, want %s", list, tt.want)
		}
	}
	if list := Compare([][]Record{{whole}}, [][]Record{{named}}, at95); len(list) != 0 {
		t.Errorf("searches of different streams: %+v", list)
	}
}

func TestJudgeChange(t *testing.T) {
	slower := Compare([][]Record{{found(t, 0, 1, 1)}}, [][]Record{{found(t, 0, 2, 1.25)}}, at95)[0]
	same := Compare([][]Record{{found(t, 0, 1, 1)}}, [][]Record{{found(t, 0, 1, 1)}}, at95)[0]
	unknown := Change{Control: Rate, Note: "nothing was found", After: Side{Statuses: []Status{Held, Incomplete}}}
	for _, tt := range []struct {
		rule         string
		slower, same gate.Verdict
	}{
		{"search.rate<-5%", gate.Broken, gate.Held},
		{"search.rate<-50%", gate.Held, gate.Held},
		{"search.rate<+5%", gate.Broken, gate.Broken}, // demands an improvement
		{"search.rate<1/s", gate.Held, gate.Held},
		{"search.rate<1e6/s", gate.Broken, gate.Broken},
	} {
		rules, _, err := CutRules([]string{tt.rule})
		if err != nil {
			t.Fatal(err)
		}
		for c, want := range map[*Change]gate.Verdict{&slower: tt.slower, &same: tt.same, &unknown: gate.Unknown} {
			if got, text, err := rules[0].JudgeChange(c); got != want || err != nil || !strings.Contains(text, "rule: "+tt.rule) {
				t.Errorf("%s: %v, %q, %v", tt.rule, got, text, err)
			}
		}
	}
}

// TestCompareAlike: of pairs of searches in one store few differ by more than chance.
func TestCompareAlike(t *testing.T) {
	testkit.Soak(t)
	for i := range models {
		const pairs = 60
		significant := 0
		for k := range uint64(pairs) {
			if Compare([][]Record{{found(t, i, 1000+2*k, 1)}}, [][]Record{{found(t, i, 1001+2*k, 1)}}, at95)[0].Significant {
				significant++
			}
		}
		t.Logf("%s: %d of %d pairs", models[i].name, significant, pairs)
		if significant > pairs/10 {
			t.Errorf("%s: %d of %d pairs seem to differ", models[i].name, significant, pairs)
		}
	}
}
