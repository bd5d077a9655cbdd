package aggregate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// shortWindow is the length below which figures are dominated by chance.
const shortWindow = 5 * time.Second

// warnings returns what a reader of the figures should know. Everything follows from the figures, so that merged
// snapshots have the same warnings as one of all operations. For preparation and totals only what no other group says.
// What several groups have in common is said once.
func warnings(s *Snapshot) []string {
	w := warnWindows(s)
	for _, g := range s.Groups {
		w = append(w, warnOperations(g)...)
	}
	return w
}

// warnWindows warns of windows with little significance.
func warnWindows(s *Snapshot) (w []string) {
	var none, loose, short []string
	least, most := shortWindow, time.Duration(0)
	for _, g := range slices.Concat(s.Groups, s.Totals) {
		d := g.Window.Duration()
		if g.Phase == op.PhasePrepare {
			continue
		}
		if d == 0 {
			none = append(none, g.Name())
			continue
		}
		if g.Window.Loose {
			loose = append(loose, g.Name())
		}
		if d < shortWindow {
			short = append(short, g.Name())
			least, most = min(least, d), max(most, d)
		}
	}
	if len(none) > 0 {
		w = append(w, strings.Join(none, ", ")+": no throughput and no latency: too few operations, or too short a time, for an active window")
	}
	if len(loose) > 0 {
		w = append(w, strings.Join(loose, ", ")+": at no time were all threads active, so the window runs from the end of the first operation to the start of the last")
	}
	least, most = least.Round(time.Millisecond), most.Round(time.Millisecond)
	length := fmt.Sprintf("the active window is only %v long", least)
	if most > least {
		length = fmt.Sprintf("the active windows are only %v to %v long", least, most)
	}
	if len(short) > 0 {
		w = append(w, fmt.Sprintf("%s: %s: the run is too short for stable figures", strings.Join(short, ", "), length))
	}
	return w
}

// warnOperations warns of operations that failed or could not be counted.
func warnOperations(g *Group) (w []string) {
	name := g.Name()
	if g.Errors > 0 {
		w = append(w, fmt.Sprintf("%s: %d of %d operations failed (%.3g %%)", name, g.Errors, g.Requests, 100*float64(g.Errors)/float64(g.Requests)))
	}
	if g.Broken > 0 {
		w = append(w, fmt.Sprintf("%s: %d operations have no times or end before they start, as when a clock is set back; they are counted, but excluded from all other figures", name, g.Broken))
	}
	var clamped int64
	for _, h := range []*hist.Histogram{g.Latency, g.Service, g.TTFB} {
		clamped += h.Clamped()
	}
	if clamped > 0 {
		w = append(w, fmt.Sprintf("%s: %d times are negative or longer than an hour; averages and percentiles count them as 0 and as 1h", name, clamped))
	}
	if g.AccessOmitted {
		w = append(w, fmt.Sprintf("%s: more than %d objects were read, so first and last access are not reported", name, MaxAccessKeys))
	}
	return w
}
