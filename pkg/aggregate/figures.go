package aggregate

import (
	"cmp"
	"slices"
	"time"
)

// BytesPerSec is the average in the window: shares of successful operations divided by the window's length. 0 if the
// window is empty.
func (g *Group) BytesPerSec() float64 { b, _, _ := g.PerSecond(g.Window.Duration()); return b }

// ObjectsPerSec is the average number of objects per second in the window.
func (g *Group) ObjectsPerSec() float64 { _, o, _ := g.PerSecond(g.Window.Duration()); return o }

// OpsPerSec is the average number of operations per second in the window.
func (g *Group) OpsPerSec() float64 { _, _, n := g.PerSecond(g.Window.Duration()); return n }

// PerSecond is the averages of a part in a window of length d; all 0 if d is not positive.
func (p *Part) PerSecond(d time.Duration) (bytes, objects, ops float64) {
	if d <= 0 {
		return 0, 0, 0
	}
	s := d.Seconds()
	return p.Bytes / s, p.Objects / s, p.Ops / s
}

// MovesBytes tells whether the throughput of the group is a matter of bytes per second, or else of objects per second.
// Kinds that are not known, and Totals, move bytes if any successful operation did.
func (g *Group) MovesBytes() bool { return g.Kind.MovesBytes() && g.MaxSize > 0 }

// Rank gives the indices of the fastest, the median and the slowest segment, by bytes if the group moves bytes, else by
// objects. The median is number n/2, from 0, of n in ascending order. Not ok without segments.
func (g *Group) Rank() (fastest, median, slowest int, byBytes, ok bool) {
	n := len(g.Segments)
	byBytes = g.MovesBytes()
	if n == 0 {
		return 0, 0, 0, byBytes, false
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if byBytes {
			return cmp.Compare(g.Segments[a].Bytes, g.Segments[b].Bytes)
		}
		return cmp.Compare(g.Segments[a].Objects, g.Segments[b].Objects)
	})
	return order[n-1], order[n/2], order[0], byBytes, true
}
