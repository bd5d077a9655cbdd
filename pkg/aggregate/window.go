package aggregate

import (
	"slices"
	"strings"
	"time"

	"warp/pkg/op"
)

// Windows is the active window of every group of a run, as found by Bounds.
type Windows struct {
	Groups []GroupWindow `json:"groups"`
	Totals []GroupWindow `json:"totals"` // for each phase with several kinds at the same time: over all of them; and for phases side by side
}

// GroupWindow is the active window of one kind in one phase, or of a whole phase (no kind), or of several side by side.
type GroupWindow struct {
	Phase   string   `json:"phase,omitempty"`
	Kind    op.Kind  `json:"op,omitempty"`
	Streams []string `json:"streams,omitempty"` // phases side by side, of which Phase is the common name
	Window
}

// maxSegments is the maximum number of segments in a window if their length was requested.
const maxSegments = 100_000

// maxAutoSegments is the maximum number otherwise.
const maxAutoSegments = 400

// autoSegments are the automatic lengths; longer windows double the last.
var autoSegments = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second,
	time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 3 * time.Hour,
}

// segmentLength returns a length of segments for all windows: the requested one, doubled while a window has more than
// maxSegments, or else the smallest of autoSegments that gives the longest window at most maxAutoSegments.
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

// window returns the active window of the threads in bounds.
//
// It starts when every thread has finished one operation and ends at the earliest last start of any thread. Where that
// leaves nothing, it runs from the end of the first operation to the start of the last, and is Loose. Its start is then
// moved by skip. If nothing is left it is empty: End is Start.
//
// With allTime that is the rule, and the window is not Loose: in an open loop, or while the number of threads changes, there need be no
// time at which all threads are at work, and what comes before it and after it is part of the load.
func window(bounds []bound, skip time.Duration, allTime bool) Window {
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
	if allTime || strict.end <= strict.start {
		chosen, isLoose = loose, !allTime
	}
	return Window{Start: time.Unix(0, chosen.start).UTC(), End: time.Unix(0, chosen.end).UTC(), Loose: isLoose, AllTime: allTime}.after(skip)
}

// allTime reports whether windows of a phase are all of its time.
func (o *Options) allTime(phase string) bool { return slices.Contains(o.AllTime, phase) }

// after returns the window without its first d. If nothing is left it is empty: End is Start.
func (w Window) after(d time.Duration) Window {
	w.Start = w.Start.Add(max(0, d))
	if w.End.Before(w.Start) {
		w.End = w.Start
	}
	return w
}

// filtered returns the windows of all operations, found with Skip 0, under opts, which must not select a host.
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

// overlap limits the windows to those of other threads, in o. That equals the rule for windows unless one is loose, or all of its time;
// then, or if the groups differ, it returns false.
func (w *Windows) overlap(o *Windows) bool {
	fit := func(a, b []GroupWindow) bool {
		return slices.EqualFunc(a, b, func(a, b GroupWindow) bool {
			return a.Phase == b.Phase && a.Kind == b.Kind && !a.anyThread() && !b.anyThread() && a.Start.Before(b.End) && b.Start.Before(a.End)
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

// anyThread reports whether the window runs from the first operation of any thread to the last of any.
func (w Window) anyThread() bool { return w.Loose || w.AllTime }

// limit cuts off what lies outside of o.
func (w *Window) limit(o Window) {
	if o.Start.After(w.Start) {
		w.Start = o.Start
	}
	if o.End.Before(w.End) {
		w.End = o.End
	}
}

// equal reports whether both hold the same windows in the same order.
func (w *Windows) equal(o *Windows) bool {
	same := func(a, b GroupWindow) bool {
		return a.Phase == b.Phase && a.Kind == b.Kind && slices.Equal(a.Streams, b.Streams) && a.Window.equal(b.Window)
	}
	return slices.EqualFunc(w.Groups, o.Groups, same) && slices.EqualFunc(w.Totals, o.Totals, same)
}

// equal compares instants, whatever their zone.
func (w Window) equal(o Window) bool {
	return w.Start.Equal(o.Start) && w.End.Equal(o.End) && w.Loose == o.Loose && w.AllTime == o.AllTime
}

// Benchmark returns that of the corresponding snapshot.
func (w *Windows) Benchmark() (from, to time.Time) {
	for _, g := range w.Groups {
		from, to = widened(from, to, g.Phase, g.Window)
	}
	return from, to
}

// widened returns a time span extended by a window, unless the window is empty or of the preparation.
func widened(from, to time.Time, phase string, w Window) (time.Time, time.Time) {
	if phase == op.PhasePrepare || w.Duration() == 0 {
		return from, to
	}
	if from.IsZero() || w.Start.Before(from) {
		from = w.Start
	}
	if w.End.After(to) {
		to = w.End
	}
	return from, to
}
