package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"warp/pkg/op"
)

// concurrentSeparator joins the names of phases that ran in parallel, and maxConcurrentName is the maximum length of the result.
const (
	concurrentSeparator = " + "
	maxConcurrentName   = 90
)

// concurrentTotals returns a total of each set of phases that ran in parallel, given the window of each phase: they have at least half of
// the shortest window in common. Their total covers the time when all of them ran. Names are in the order of the
// plan, or else of the alphabet, so that two runs agree on them.
func concurrentTotals(phases []GroupWindow, order Order) (list []GroupWindow) {
	phases = slices.DeleteFunc(slices.Clone(phases), func(g GroupWindow) bool { return g.Phase == op.PhasePrepare || g.Duration() == 0 })
	slices.SortStableFunc(phases, func(a, b GroupWindow) int { return a.Start.Compare(b.Start) })
	for i, taken := 0, make([]bool, len(phases)); i < len(phases); i++ {
		all := phases[i]
		all.Streams = []string{all.Phase}
		for k := i + 1; k < len(phases) && !taken[i]; k++ {
			common := all.Window
			common.limit(phases[k].Window)
			if taken[k] || 2*common.Duration() < min(all.Duration(), phases[k].Duration()) {
				continue
			}
			taken[k] = true
			all.Window, all.Loose, all.AllTime = common, all.Loose || phases[k].Loose, all.AllTime || phases[k].AllTime
			all.Sent, all.Begun, all.Ended = Span{}, nil, nil // each phase has its own
			all.Streams = append(all.Streams, phases[k].Phase)
		}
		if len(all.Streams) > 1 {
			slices.SortFunc(all.Streams, func(a, b string) int {
				c, _ := order.compare(a, b)
				return cmp.Or(c, cmp.Compare(a, b))
			})
			all.Phase = concurrentName(all.Streams)
			list = append(list, all)
		}
	}
	return list
}

// concurrentName returns the name of phases together.
func concurrentName(streams []string) string {
	name := strings.Join(streams, concurrentSeparator)
	if len(name) > maxConcurrentName {
		name = strings.ToValidUTF8(name[:maxConcurrentName], "") + "..."
	}
	return name
}
