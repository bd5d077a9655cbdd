package aggregate

import (
	"slices"
	"strings"
	"time"

	"warp/pkg/op"
)

// Windows is the active window of every group of a run, as Bounds finds them.
type Windows struct {
	Groups []GroupWindow `json:"groups"`
	Totals []GroupWindow `json:"totals"` // for each phase with several kinds at the same time: over all of them
}

// GroupWindow is the active window of one kind in one phase, or of a whole phase (no kind).
type GroupWindow struct {
	Phase string  `json:"phase,omitempty"`
	Kind  op.Kind `json:"op,omitempty"`
	Window
}

// maxSegments is how many segments a window has at most when their length was asked for.
const maxSegments = 100_000

// maxAutoSegments is how many it has at most when not.
const maxAutoSegments = 400

// autoSegments are the lengths to choose from; longer windows double the last.
var autoSegments = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 3 * time.Hour,
}

// segmentLength is the length of segments that suits all windows: what was asked for, doubled while a window would have
// more than maxSegments of it, or else the smallest of autoSegments that gives the longest window at most
// maxAutoSegments.
func (w *Windows) segmentLength(asked time.Duration) time.Duration {
	var longest time.Duration
	for _, list := range [][]GroupWindow{w.Groups, w.Totals} {
		for _, g := range list {
			longest = max(longest, g.Duration())
		}
	}
	length, most := asked, time.Duration(maxSegments)
	if asked <= 0 {
		most = maxAutoSegments
		for _, length = range autoSegments {
			if longest/length <= most {
				break
			}
		}
	}
	for longest/length > most {
		length *= 2
	}
	return length
}

// window is the active window of the threads in bounds.
//
// It starts when every thread has finished one operation and ends at the earliest last start of any thread. Where that
// leaves nothing, it runs from the end of the first operation to the start of the last, and is Loose. It then starts
// later by skip. If nothing is left it is empty: End is Start.
func window(bounds []bound, skip time.Duration) Window {
	var strict, loose struct{ start, end int64 }
	seen := false
	for _, b := range bounds {
		switch {
		case b.ops == 0:
		case !seen:
			seen = true
			strict.start, strict.end = b.firstEnd, b.lastStart
			loose = strict
		default:
			strict.start, strict.end = max(strict.start, b.firstEnd), min(strict.end, b.lastStart)
			loose.start, loose.end = min(loose.start, b.firstEnd), max(loose.end, b.lastStart)
		}
	}
	if !seen {
		return Window{}
	}
	chosen, isLoose := strict, false
	if strict.end <= strict.start {
		chosen, isLoose = loose, true
	}
	return Window{Start: time.Unix(0, chosen.start).UTC(), End: time.Unix(0, chosen.end).UTC(), Loose: isLoose}.after(skip)
}

// after is the window without so much of its start. If nothing is left it is empty: End is Start.
func (w Window) after(skip time.Duration) Window {
	w.Start = w.Start.Add(max(0, skip))
	if w.End.Before(w.Start) {
		w.End = w.Start
	}
	return w
}

// filtered is what is left of the windows of all operations, found with Skip 0, under opts, which ask for no host.
func (w *Windows) filtered(opts Options) *Windows {
	f := &Windows{}
	for _, g := range w.Groups {
		if opts.Op == "" || strings.EqualFold(string(opts.Op), string(g.Kind)) {
			g.Window = g.after(opts.Skip)
			f.Groups = append(f.Groups, g)
		}
	}
	for _, g := range w.Totals {
		if opts.Op == "" {
			g.Window = g.after(opts.Skip)
			f.Totals = append(f.Totals, g)
		}
	}
	return f
}

// overlap limits the windows to the time that those of other threads, in o, have as well. That is what the rule for
// windows comes to unless a window is loose; then, or if the groups are not the same, the answer is false.
func (w *Windows) overlap(o *Windows) bool {
	fit := func(a, b []GroupWindow) bool {
		return slices.EqualFunc(a, b, func(a, b GroupWindow) bool {
			return a.Phase == b.Phase && a.Kind == b.Kind && !a.Loose && !b.Loose && a.Start.Before(b.End) && b.Start.Before(a.End)
		})
	}
	if !fit(w.Groups, o.Groups) || !fit(w.Totals, o.Totals) {
		return false
	}
	for i := range w.Groups {
		w.Groups[i].limit(o.Groups[i].Window)
	}
	for i := range w.Totals {
		w.Totals[i].limit(o.Totals[i].Window)
	}
	return true
}

// limit cuts off what is outside of o.
func (w *Window) limit(o Window) {
	if o.Start.After(w.Start) {
		w.Start = o.Start
	}
	if o.End.Before(w.End) {
		w.End = o.End
	}
}

// equal tells whether both hold the same windows in the same order.
func (w *Windows) equal(o *Windows) bool {
	same := func(a, b GroupWindow) bool { return a.Phase == b.Phase && a.Kind == b.Kind && a.Window.equal(b.Window) }
	return slices.EqualFunc(w.Groups, o.Groups, same) && slices.EqualFunc(w.Totals, o.Totals, same)
}

// equal compares instants, whatever their zone.
func (w Window) equal(o Window) bool {
	return w.Start.Equal(o.Start) && w.End.Equal(o.End) && w.Loose == o.Loose
}
