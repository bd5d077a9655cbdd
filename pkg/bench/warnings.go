package bench

import (
	"fmt"
	"slices"
	"time"

	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/units"
)

// changingWarnings returns warnings about changing data sets.
func changingWarnings(s *streamRun) (list []string) {
	// With shared data, the first deletions come before there is anything to delete; in a run of any length they are too few to report.
	shared := s.tasks[0].workers[0].Set.Shared()
	switch n := s.replaced.Load(); {
	case n == 0, shared && n <= s.done.Load()/100:
	case shared:
		const text = "%d turns uploaded an object instead of deleting one: of shared data, a client deletes only what it uploaded itself; " +
			"use a longer --duration, or a lower share of deletions"
		list = append(list, fmt.Sprintf(text, n))
	default:
		list = append(list, fmt.Sprintf("%d turns found no object in their data set; they uploaded one instead", n))
	}
	if n := s.skipped.Load(); n > 0 {
		list = append(list, fmt.Sprintf("%d operations that follow others found no object in their data set, and were left out", n))
	}
	// A stream that only deletes should end when nothing is left.
	notOnlyDeletes := func(t *taskRun) bool { return t.traits.MaxDeletes == 0 || t.traits.NeedsOf != nil }
	if s.empty.Load() && slices.ContainsFunc(s.tasks[:s.own], notOnlyDeletes) {
		list = append(list, "ended early: no object was left in the data set")
	}
	return list
}

// lateWarnings returns the lateness of an open loop's turns: the client's own, and from waiting for the store.
func lateWarnings(s *streamRun) (list []string) {
	st := &s.stats
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if n := st.Unsent - st.UnsentOwn; n > 0 {
		reason := "all threads were busy"
		if s.Timed {
			reason += ", or what they had to follow had not ended"
		}
		warn("the rate was not sustained: %d turns that were due never started, because %s; use more --concurrent or a lower %s",
			n, reason, s.rateFlag())
	}
	if st.UnsentOwn > 0 {
		warn("%d turns that were due never started, although threads were free: this client was late itself", st.UnsentOwn)
	}
	if l := &st.Busy; l.Turns > 0 {
		warn("busy: %d of %d turns waited more than 1 ms for a thread, since all were busy with requests to the store: %s; "+fromDue,
			l.Turns, st.Done, averageAndMost(l, st.Done))
	}
	if l := &st.Own; l.Turns > 0 {
		warn("own lateness: %d of %d turns started more than 1 ms late although a thread was free, "+
			"which is this client's doing, not the store's: %s; "+fromDue, l.Turns, st.Done, averageAndMost(l, st.Done))
	}
	return list
}

const fromDue = "latency counts from when they were due"

// averageAndMost formats the lateness of turns for one reason.
func averageAndMost(l *load.Lateness, turns uint64) string {
	return fmt.Sprintf("%v on average of all turns, at most %v", millis(l.Total/time.Duration(turns)), millis(l.Max))
}

// millis rounds a duration to hundredths of a millisecond.
func millis(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// plainRanges returns the number of ranges with responses like those to whole objects; see s3.Call.PlainRange.
func (s *streamRun) plainRanges() (n uint64) {
	s.eachLane(func(w *work.Worker) { n += w.PlainRanges() })
	return n
}

// warnings returns warnings about the stream after its end.
func (s *streamRun) warnings() (list []string) {
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if plainRanges := s.plainRanges(); plainRanges > 0 {
		warn("%d ranges came with status 200 instead of 206; Content-Range and length were right", plainRanges)
	}
	list = append(list, lateWarnings(s)...)
	if s.stats.Paused >= longPause {
		warn("no server responded for a while: threads paused between attempts, for up to %v each", s.stats.Paused.Round(100*time.Millisecond))
	}
	if s.stats.Cut > 0 {
		warn("%d turns were still running when the grace period ended; they were cancelled, and their operations count as errors", s.stats.Cut)
	}
	if s.noRoom.Load() {
		warn("ended early: the store is full (%s)", units.Size(s.tasks[0].workers[0].Set.Room()))
	}
	if s.full.Load() {
		warn("ended early: the store is full, and --stop-on-full is set")
	}
	list = append(list, changingWarnings(s)...)
	for _, t := range s.tasks {
		if w, ok := t.workload.(work.Reporter); ok {
			list = append(list, w.Warnings()...)
		}
	}
	return list
}

// notes returns the notes on the stream after its end.
func (s *streamRun) notes() (list []string) {
	if !s.Threads.IsZero() {
		list = append(list, fmt.Sprintf("threads over time: %s; averages and percentiles cover all of this time", s.Threads))
	}
	if s.settled != "" {
		list = append(list, s.settled)
	}
	for _, t := range s.tasks {
		if n, ok := t.workload.(work.Reporter); ok {
			list = append(list, n.Notes()...)
		}
	}
	return list
}
