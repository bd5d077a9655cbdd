package aggregate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"warp/pkg/op"
)

// Windows is the active window of every group of a run, as found by Bounds.
type Windows struct {
	Rule   Rule          `json:"rule,omitempty"` // empty in a recording of an earlier version, whose windows are not used
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

// span is when the threads of a group, or of several, were at work: what their windows follow from. Times are in Unix nanoseconds.
type span struct {
	ops                    int64
	firstStart, lastStart  int64 // of any thread
	firstEnd               int64 // of any thread
	lastEnd                int64 // of any thread
	allEnded               int64 // every thread has ended an operation
	oneStarts, oneEnds     int64 // the earliest last start of any thread, and when the first of them was done
	slowest, first, starts int   // the threads of allEnded, oneEnds and oneStarts
}

// spanOf returns the span of the threads in own. A thread goes on until its last operation of any kind in all, and through a pause behind
// that, at most until the last start of any thread: sending may have stopped in this pause.
func spanOf(own, all []bound, pause time.Duration) (s span) {
	var stopped int64
	for _, b := range all {
		if b.ops > 0 {
			stopped = max(stopped, b.lastStart)
		}
	}
	for i, b := range own {
		if b.ops == 0 {
			continue
		}
		end := max(all[i].lastEnd, min(all[i].lastEnd+int64(pause), stopped))
		if s.ops == 0 {
			s = span{
				firstStart: b.firstStart, lastStart: b.lastStart, firstEnd: b.firstEnd, lastEnd: b.lastEnd,
				allEnded: b.firstEnd, oneStarts: b.lastStart, oneEnds: end, slowest: i, first: i, starts: i,
			}
		}
		s.ops += b.ops
		s.firstStart, s.lastStart = min(s.firstStart, b.firstStart), max(s.lastStart, b.lastStart)
		s.firstEnd, s.lastEnd = min(s.firstEnd, b.firstEnd), max(s.lastEnd, b.lastEnd)
		if b.firstEnd > s.allEnded {
			s.allEnded, s.slowest = b.firstEnd, i
		}
		if b.lastStart < s.oneStarts {
			s.oneStarts, s.starts = b.lastStart, i
		}
		if end < s.oneEnds {
			s.oneEnds, s.first = end, i
		}
	}
	return s
}

// rareStart is the part of its time that a kind may lose at its start because some threads perform it late.
const rareStart = 10

// window returns the active window of the kind with this span, and the threads whose operations it begins and ends with; -1: with
// none in particular. together is the span of all kinds that ran at the same time.
//
// It starts when every thread has finished one operation. Under Active, it ends at the earliest last end of any thread, whatever kind
// that was of, and with the last operation of the kind. A kind so rare that its start would cost more than a tenth of the time starts
// when every thread has finished an operation of any kind. Under Classic it ends at the earliest last start. Where that leaves nothing,
// the window runs from the end of the first operation to the start of the last, and is Loose.
//
// With allTime that is the rule, and the window is not Loose: in an open loop, or while the number of threads changes, there need be no
// time at which all threads are at work, and what comes before it and after it is part of the load. If all threads were busy when the
// last operation started, it runs until one of them was free.
func (s *span) window(together *span, rule Rule, allTime bool) (w Window, begun, ended int) {
	if s.ops == 0 {
		return Window{}, -1, -1
	}
	start, end := s.allEnded, s.oneStarts
	begun, ended = s.slowest, s.starts
	if rule != Classic {
		end, ended = min(s.oneEnds, s.lastEnd), s.first
		if from := max(together.allEnded, s.firstEnd); start > from && end > from && start-from > (end-from)/rareStart {
			start, begun = from, -1
		}
	}
	w = Window{Classic: rule == Classic, AllTime: allTime, Sent: Span{stamp(s.firstStart), stamp(s.lastStart)}}
	if allTime || end <= start {
		w.Loose, begun, ended = !allTime, -1, -1
		start, end = s.firstEnd, s.lastStart
		if allTime && rule != Classic {
			end = max(end, min(s.oneEnds, s.lastEnd))
		}
	}
	w.Start, w.End = stamp(start), stamp(max(start, end))
	return w, begun, ended
}

// stamp returns a time of the statistics.
func stamp(unixNano int64) time.Time { return time.Unix(0, unixNano).UTC() }

// allTime reports whether windows of a phase are all of its time.
func (o *Options) allTime(phase string) bool { return slices.Contains(o.AllTime, phase) }

// rule returns the rule of windows.
func (o *Options) rule() Rule { return cmp.Or(o.Rule, Active) }

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

// Short reports whether the window is much shorter than the time in which operations were sent, and what part of that it is.
// A window that is Loose is not, nor one that is all of its time.
func (w *Window) Short() (part float64, short bool) {
	sent := w.Sent.Duration()
	if sent <= 0 || w.anyThread() {
		return 1, false
	}
	part = (w.Duration() + w.Skipped).Seconds() / sent.Seconds()
	return part, part < wholeShare
}

// filtered returns the windows of all operations, found without Skip and Op, under opts.
func (w *Windows) filtered(opts Options) *Windows {
	f := &Windows{Rule: w.Rule}
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
		w.Start, w.Begun = o.Start, o.Begun
	}
	if o.End.Before(w.End) {
		w.End, w.Ended = o.End, o.Ended
	}
	widen(&w.Sent.From, &w.Sent.To, o.Sent.From, o.Sent.To)
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
