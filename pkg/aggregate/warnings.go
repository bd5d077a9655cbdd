package aggregate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/units"
)

// shortWindow is the length below which figures are dominated by chance: that of a run of five seconds, whose first and last operations
// shorten its window.
const shortWindow = 4500 * time.Millisecond

// TooShort ends the warning of short windows.
const TooShort = "the run is too short for stable figures"

// maxNames is how many groups a warning names.
const maxNames = 6

// warnings returns what a reader of the figures should know. Everything follows from the figures, so that merged
// snapshots have the same warnings as one of all operations. For preparation and totals only what no other group says.
// What several groups have in common is said once.
func warnings(s *Snapshot) []string {
	w := warnWindows(s)
	for _, g := range s.Groups {
		w = append(w, warnPending(g)...)
		w = append(w, g.OperationWarnings()...)
	}
	return w
}

// warnWindows warns of windows with little significance.
func warnWindows(s *Snapshot) (w []string) {
	var none, loose, short []string
	lowest, highest := shortWindow, time.Duration(0)
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
			lowest, highest = min(lowest, d), max(highest, d)
		}
	}
	if len(none) > 0 {
		w = append(w, units.List(none, maxNames)+": no throughput and no latency: too few operations, or too short a time, for an active window")
	}
	if len(loose) > 0 {
		w = append(w, units.List(loose, maxNames)+
			": at no time were all threads active, so the window runs from the end of the first operation to the start of the last")
	}
	lowest, highest = lowest.Round(time.Millisecond), highest.Round(time.Millisecond)
	length := fmt.Sprintf("the active window is only %v long", lowest)
	if highest > lowest {
		length = fmt.Sprintf("the active windows are only %v to %v long", lowest, highest)
	}
	if len(short) > 0 {
		w = append(w, fmt.Sprintf("%s: %s: %s", units.List(short, maxNames), length, TooShort))
	}
	return append(w, warnLost(s)...)
}

// warnLost warns of windows that lack a tenth or more of the time of sending: of the shortest ones each, of the others together.
func warnLost(s *Snapshot) (w []string) {
	type loss struct {
		part  float64
		text  string
		names []string
	}
	var losses []*loss
	by := make(map[string]*loss)
	for _, g := range s.Groups {
		part, short := g.Window.Short()
		if g.Phase == op.PhasePrepare || !short || g.Window.Duration() == 0 {
			continue
		}
		text := fmt.Sprintf("the active window covers %.2g%% of the %s of sending%s",
			100*part, units.Span(g.Window.Sent.Duration()), g.lostBy())
		if by[text] == nil {
			by[text] = &loss{part: part, text: text}
			losses = append(losses, by[text])
		}
		by[text].names = append(by[text].names, g.Name())
	}
	least := 1.0
	if len(losses) > maxNames {
		least = slices.SortedFunc(slices.Values(losses), func(a, b *loss) int { return cmp.Compare(a.part, b.part) })[maxNames-1].part
	}
	var others []string
	for _, l := range losses {
		if l.part > least {
			others = append(others, l.names...)
			continue
		}
		w = append(w, units.List(l.names, maxNames)+": "+l.text)
	}
	if len(others) > 0 {
		w = append(w, fmt.Sprintf("%s: the active windows cover less than %.2g%% of the time of sending",
			units.List(others, maxNames), 100*wholeShare))
	}
	return w
}

// lostBy says which operations the window starts and ends with, as far as they cost a twentieth of the time of sending.
func (g *Group) lostBy() (text string) {
	w, least := &g.Window, g.Window.Sent.Duration()/20
	if late := w.Start.Add(-w.Skipped).Sub(w.Sent.From); late > least && w.Begun != nil {
		text = fmt.Sprintf("; it starts after %s, where %s ended its first operation%s", units.Span(late), g.threadOf(w.Begun), w.Begun.named())
	}
	if early := w.Sent.To.Sub(w.End); early > least && w.Ended != nil {
		does := "ended"
		if w.Classic {
			does = "started"
		}
		text += fmt.Sprintf("; it ends %s before sending stopped, where %s %s its last operation%s",
			units.Span(early), g.threadOf(w.Ended), does, w.Ended.named())
	}
	return text
}

// threadOf names the thread of an operation.
func (g *Group) threadOf(e *Edge) string {
	if len(g.Clients) > 1 {
		return fmt.Sprintf("thread %d of client %s", e.Thread, units.Line(e.Client))
	}
	return fmt.Sprintf("thread %d", e.Thread)
}

// named returns ", GET of KEY on HOST, which took 1s".
func (o *OpSample) named() string {
	if o.Kind == "" {
		return ""
	}
	return ", " + o.String() + ", which took " + units.Duration(o.Took)
}

// String returns "GET of KEY on HOST".
func (o *OpSample) String() string {
	text := string(o.Kind)
	if o.Key != "" {
		text += " of " + o.Key
	}
	if o.Host != "" {
		text += " on " + o.Host
	}
	return units.Line(text)
}

// Operations in flight when sending stopped are worth a warning if the last of them took longer than a second, and a twentieth of the
// time of sending, to end.
const (
	longDrain      = time.Second
	longDrainShare = 20
)

// warnPending warns of operations that went on long after sending stopped.
func warnPending(g *Group) (w []string) {
	p := &g.Pending
	if g.Phase == op.PhasePrepare || p.Drain <= max(longDrain, g.Window.Sent.Duration()/longDrainShare) {
		return nil
	}
	if p.Ops == 1 {
		return []string{fmt.Sprintf("%s: one operation was in flight when sending stopped, %s, which took %s",
			g.Name(), &p.Longest, units.Duration(p.Longest.Took))}
	}
	return []string{fmt.Sprintf("%s: %d operations were in flight when sending stopped; the longest, %s, took %s",
		g.Name(), p.Ops, &p.Longest, units.Duration(p.Longest.Took))}
}

// OperationWarnings returns what a reader should know of operations that were sent again, or could not be counted. Failed ones are figures.
func (g *Group) OperationWarnings() (w []string) {
	name := g.Name()
	if g.Resent > 0 {
		w = append(w, fmt.Sprintf("%s: %d of %d operations met a connection that the server had closed, and were sent again over a new one: "+
			"a limit of kept connections? (--disable-keepalive makes a connection for each request)", name, g.Resent, g.Requests))
	}
	if g.Broken > 0 {
		w = append(w, fmt.Sprintf("%s: %d operations have no times or end before they start, as when a clock is set back; "+
			"they are counted, but excluded from all other figures", name, g.Broken))
	}
	var clamped int64
	for _, h := range []*hist.Histogram{g.Latency, g.Service, g.TTFB} {
		clamped += h.Clamped()
	}
	if clamped > 0 {
		w = append(w, fmt.Sprintf("%s: %d times are negative or longer than an hour; averages and percentiles count them as 0 and as 1h",
			name, clamped))
	}
	if g.AccessOmitted {
		w = append(w, fmt.Sprintf("%s: more than %d objects were read, so first and last access are not reported", name, maxAccessKeys))
	}
	return w
}
