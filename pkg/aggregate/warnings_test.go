package aggregate

import (
	"slices"
	"testing"
	"time"

	"warp/pkg/op"
)

// What several groups have in common is said once, and how long their windows are.
func TestWarningsOfWindows(t *testing.T) {
	group := func(kind op.Kind, d time.Duration, loose bool) *Group {
		return &Group{Kind: kind, Window: Window{Start: at(0), End: at(0).Add(d), Loose: loose}}
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
