package aggregate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// What several groups have in common is said once, and how long their windows are.
func TestWarningsOfWindows(t *testing.T) {
	group := func(kind op.Kind, d time.Duration, loose bool) *Group {
		return &Group{Kind: kind, Window: Window{Start: optest.At(0), End: optest.At(0).Add(d), Loose: loose}}
	}
	prepare := group(op.Put, time.Second, true)
	prepare.Phase = op.PhasePrepare
	const (
		empty = "STAT: no throughput and no latency: too few operations, or too short a time, for an active window"
		vary  = ": the run is too short for stable figures"
		loose = ": at no time were all threads active, so the window runs from the end of the first operation to the start of the last"
	)
	for name, tt := range map[string]struct {
		s    Snapshot
		want []string
	}{
		"nothing":  {Snapshot{Groups: []*Group{prepare, group(op.Get, shortWindow, false)}}, nil},
		"one":      {Snapshot{Groups: []*Group{group(op.Get, 3*time.Second, false)}}, []string{"GET: the active window is only 3s long" + vary}},
		"the same": {Snapshot{Groups: []*Group{group(op.Get, 3*time.Second, true)}, Totals: []*Group{group("", 3*time.Second, false)}}, []string{"GET" + loose, "GET, total: the active window is only 3s long" + vary}},
		"several": {
			Snapshot{Groups: []*Group{group(op.Get, 3*time.Second, true), group(op.Stat, 0, false), group(op.Put, 2*time.Second, true)}, Totals: []*Group{group("", 4*time.Second, false)}},
			[]string{empty, "GET, PUT" + loose, "GET, PUT, total: the active windows are only 2s to 4s long" + vary},
		},
	} {
		if got := warnings(&tt.s); !slices.Equal(got, tt.want) {
			t.Errorf("%s: warnings %q, want %q", name, got, tt.want)
		}
	}
}

// Of many groups with windows that are too short, the shortest are described, and the others counted.
func TestWarningsOfManyWindows(t *testing.T) {
	var s Snapshot
	for i := range 70 {
		part := 0.1 + 0.01*float64(i)
		w := Window{Start: optest.At(0), End: optest.At(0).Add(time.Duration(part * float64(100*time.Second)))}
		w.Sent.From, w.Sent.To = optest.At(0), optest.At(0).Add(100*time.Second)
		s.Groups = append(s.Groups, &Group{Phase: fmt.Sprint("p", i), Kind: op.Get, Window: w})
	}
	got := warnings(&s)
	if len(got) != maxNames+1 || !strings.HasPrefix(got[0], "p0 GET: the active window covers 10% of the 1m40s") || !strings.HasPrefix(got[maxNames-1], "p5 GET: ") {
		t.Errorf("warnings %q", got)
	}
	want := "p6 GET, p7 GET, p8 GET, p9 GET, p10 GET, p11 GET and 58 more: the active windows cover less than 90% of the time of sending"
	if got[len(got)-1] != want {
		t.Errorf("%q, want %q", got[len(got)-1], want)
	}
}
