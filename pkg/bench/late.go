package bench

import (
	"fmt"
	"time"

	"warp/pkg/load"
)

// lateWarnings returns how late the turns of an open loop were: by the client itself, and because they waited for the store.
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

// averageAndMost says how late turns were for one reason.
func averageAndMost(l *load.Lateness, turns uint64) string {
	return fmt.Sprintf("%v on average of all turns, at most %v", millis(l.Total/time.Duration(turns)), millis(l.Max))
}

// millis rounds a duration to hundredths of a millisecond.
func millis(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
