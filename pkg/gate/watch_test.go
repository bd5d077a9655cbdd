package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

// second returns 100 operations of a second; some are slow and some fail.
func second(n, slow, failed int) (list []op.Op) {
	start := time.Date(2026, 3, 1, 12, 0, n, 0, time.UTC)
	for i := range 100 {
		o := op.Op{Kind: op.Get, Phase: "a", Start: start.Add(time.Duration(i) * 9 * time.Millisecond)}
		o.End = o.Start.Add(10 * time.Millisecond)
		if i < slow {
			o.End = o.Start.Add(90 * time.Millisecond)
		}
		if i >= 100-failed {
			o.Err = "500"
		}
		list = append(list, o)
	}
	return list
}

// A rule is violated if it is in any window, wherever that begins, and the figures come from the worst one.
func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		rule         string // that must not hold
		over         time.Duration
		slow, failed func(second int) int
		want         Verdict
		text         string // part of it
	}{
		{"get.p90>=80ms", 5 * time.Second, func(s int) int { return 5 }, nil, Held, "GET.p90 = 10.0ms in the worst 5s, which began at 0s"},
		{"get.p90>=80ms", 5 * time.Second, func(s int) int { return map[bool]int{true: 20}[s >= 10 && s < 15] }, nil, Broken, "GET.p90 = 90."},
		{"get.p90>=80ms", 10 * time.Second, func(s int) int { return map[bool]int{true: 15}[s >= 10 && s < 15] }, nil, Held, "GET.p90 = 10.0ms in the worst 10s"},
		{"p90>=80ms", 2 * time.Second, func(s int) int { return map[bool]int{true: 40}[s == 17] }, nil, Broken, "GET.p90 = 90."},
		{"errors>2%", 5 * time.Second, nil, func(s int) int { return map[bool]int{true: 20}[s == 7] }, Broken, "GET.errors = 4% in the worst 5s, which began at"},
		{"errors>5%", 5 * time.Second, nil, func(s int) int { return map[bool]int{true: 20}[s == 7] }, Held, "GET.errors = 4%"},
		{"errors>30", 5 * time.Second, nil, func(s int) int { return 10 }, Broken, "GET.errors = 50 in"},
		{"errors>250", 0, nil, func(s int) int { return 10 }, Held, "GET.errors = 200"},
		{"errors>150", 0, nil, func(s int) int { return 10 }, Broken, "GET.errors = 200"},
		{"get.p90>=80ms", time.Hour, func(s int) int { return 20 }, nil, Broken, "GET.p90 = 90."},
		{"get.p99.9>=80ms", time.Second, nil, nil, Unknown, "not known: too few samples in each 1s"},
		{"put.p90>=80ms", time.Second, nil, nil, Unknown, "no PUT operations"},
	} {
		r := rule(t, tt.rule)
		if err := r.CheckOver(tt.over, false); err != nil {
			t.Fatal(err)
		}
		for _, judging := range []bool{false, true} { // while operations come in, or afterwards
			w := NewWatch(r, "a", tt.over)
			seen := false
			for s := range 20 {
				count := func(of func(int) int) int {
					if of == nil {
						return 0
					}
					return of(s)
				}
				list := second(s, count(tt.slow), count(tt.failed))
				rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for i := range list {
					w.Add(&list[i])
					other := list[i]
					other.Phase, other.Err = "b", "x"
					w.Add(&other)
				}
				if judging {
					seen = w.Judge(list[0].Start.Truncate(time.Second).Add(-time.Second)) || seen
				}
			}
			got, text := w.Verdict()
			if got != tt.want || !strings.Contains(text, tt.text) {
				t.Errorf("%s over %v: %v %q, want %v %q", tt.rule, tt.over, got, text, tt.want, tt.text)
			}
			if again, same := w.Verdict(); again != got || same != text {
				t.Errorf("%s: a second verdict is %v %q", tt.rule, again, same)
			}
			if seen && got != Broken {
				t.Errorf("%s: it was violated and is not in the end", tt.rule)
			}
			if judging && tt.over == 2*time.Second && len(w.kinds[op.Get]) > 3*stepsOver {
				t.Errorf("it keeps %d steps", len(w.kinds[op.Get]))
			}
		}
	}
}

func TestCheckOver(t *testing.T) {
	for text, want := range map[string][2]bool{ // with over, and for a whole phase
		"get.p99>50ms": {true, false}, "errors>5": {true, true}, "errors>1%": {true, false}, "errors<5": {true, false},
		"throughput<1MiB/s": {false, false}, "objects<5": {false, false}, "ttfb.p50>1ms": {true, false},
	} {
		r := rule(t, text)
		if got := fmt.Sprint(r.CheckOver(time.Minute, true) == nil, r.CheckOver(0, true) == nil); got != fmt.Sprint(want[0], want[1]) {
			t.Errorf("%s: %s, want %v", text, got, want)
		}
	}
}
