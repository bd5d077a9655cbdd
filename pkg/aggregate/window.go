package aggregate

import (
	"slices"
	"strings"
	"time"

	"warp/pkg/op"
)

// Windows is the active window of every group of a run, as found by Bounds.
type Windows struct {
	Rule   Rule          `json:"rule,omitempty"` // empty in a recording of an earlier version, whose windows are not used
	Groups []GroupWindow `json:"groups"`
	Totals []GroupWindow `json:"totals"` // for each phase with several kinds at the same time: over all of them; and for phases in parallel
}

// GroupWindow is the active window of one kind in one phase, or of a whole phase (no kind), or of several in parallel.
type GroupWindow struct {
	Phase   string   `json:"phase,omitempty"`
	Kind    op.Kind  `json:"op,omitempty"`
	Streams []string `json:"streams,omitempty"` // phases in parallel; Phase is their common name
	Window
}

// Window is the active window of a group, without warm-up and the ragged end.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	Loose bool      `json:"loose,omitempty"` // the looser rule was used: see span.window

	AllTime bool          `json:"all_time,omitempty"`   // of a phase of Options.AllTime
	Classic bool          `json:"classic,omitempty"`    // by the rule Classic
	Skipped time.Duration `json:"skipped_ns,omitempty"` // left out before Start: Options.Skip
	Sent    Span          `json:"sent,omitzero"`        // the first and the last start of an operation; zero for phases in parallel
	Begun   *Edge         `json:"begun,omitempty"`      // the operation with whose end the window starts; nil: there is none in particular
	Ended   *Edge         `json:"ended,omitempty"`      // the last operation of the thread with which the window ends
}

// Span is a time from one moment to another.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Rule says where active windows end, and which operations they consider.
type Rule string

// Rules of windows.
const (
	// Active: a window ends at the earliest last end of any thread, and considers the operations that start in it.
	Active Rule = "active"
	// Classic is the rule of MinIO warp: a window ends at the earliest last start of any thread, and considers the operations that lie
	// wholly in it.
	Classic Rule = "classic"
)

// Rules are all rules.
var Rules = []Rule{Active, Classic}

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
	length, highest := asked, time.Duration(maxSegments)
	if asked <= 0 {
		highest = maxAutoSegments
		for _, length = range autoSegments {
			if longest/length <= highest {
				break
			}
		}
	}
	for longest/length > highest {
		length *= 2
	}
	return length
}

// stamp returns a time of the statistics.
func stamp(unixNano int64) time.Time { return time.Unix(0, unixNano).UTC() }

// after returns the window without its first d. If nothing is left it is empty: End is Start.
func (w Window) after(d time.Duration) Window {
	if d <= 0 {
		return w
	}
	w.Skipped = min(d, w.Duration())
	w.Start = w.Start.Add(w.Skipped)
	return w
}

// wholeShare is the part of the time of sending that a window has in a normal run.
const wholeShare = 0.9

// Short reports whether the window is much shorter than the time of sending, and what part of it the window is.
// A window that is Loose is not, nor one that is all of its time.
func (w *Window) Short() (part float64, short bool) {
	sent := w.Sent.Duration()
	if sent <= 0 || w.anyThread() {
		return 1, false
	}
	part = (w.Duration() + w.Skipped).Seconds() / sent.Seconds()
	return part, part < wholeShare
}

// filtered returns the windows of one kind of all operations, empty: of all kinds, without this much at the start of each.
func (w *Windows) filtered(kind op.Kind, skip time.Duration) *Windows {
	f := &Windows{Rule: w.Rule}
	for _, g := range w.Groups {
		if kind == "" || strings.EqualFold(string(kind), string(g.Kind)) {
			g.Window = g.after(skip)
			f.Groups = append(f.Groups, g)
		}
	}
	for _, g := range w.Totals {
		if kind == "" {
			g.Window = g.after(skip)
			f.Totals = append(f.Totals, g)
		}
	}
	return f
}

// overlap limits the windows to the windows o of other threads. That equals the rule for windows unless one is loose, or all of its time;
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
		w.Start, w.Begun = o.Start, o.Begun
	}
	if o.End.Before(w.End) {
		w.End, w.Ended = o.End, o.Ended
	}
	w.Sent.Widen(o.Sent)
}

// equal reports whether both hold the same windows in the same order.
func (w *Windows) equal(o *Windows) bool {
	same := func(a, b GroupWindow) bool {
		return a.Phase == b.Phase && a.Kind == b.Kind && slices.Equal(a.Streams, b.Streams) && a.Window.equal(b.Window)
	}
	return slices.EqualFunc(w.Groups, o.Groups, same) && slices.EqualFunc(w.Totals, o.Totals, same)
}

// equal compares instants, whatever their zone, and the rule.
func (w Window) equal(o Window) bool {
	return w.Start.Equal(o.Start) && w.End.Equal(o.End) && w.Sent.From.Equal(o.Sent.From) && w.Sent.To.Equal(o.Sent.To) &&
		w.Loose == o.Loose && w.AllTime == o.AllTime && w.Classic == o.Classic
}

// Benchmark returns that of the corresponding snapshot.
func (w *Windows) Benchmark() (from, to time.Time) {
	for _, g := range w.Groups {
		from, to = extendedBy(from, to, g.Phase, g.Window)
	}
	return from, to
}

// extendedBy returns a time span with a window, unless the window is empty or of the preparation.
func extendedBy(from, to time.Time, phase string, w Window) (time.Time, time.Time) {
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

// Duration returns the length of the span.
func (s Span) Duration() time.Duration { return s.To.Sub(s.From) }

// Duration returns the length of the window; 0 if it is empty.
func (w Window) Duration() time.Duration { return max(0, w.End.Sub(w.Start)) }

// Widen has the span include another one; either may be zero.
func (s *Span) Widen(o Span) {
	if s.From.IsZero() || !o.From.IsZero() && o.From.Before(s.From) {
		s.From = o.From
	}
	if o.To.After(s.To) {
		s.To = o.To
	}
}
