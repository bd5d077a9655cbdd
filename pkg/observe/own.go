package observe

import (
	"fmt"
	"math"

	"warp/pkg/units"
)

// Cause is why the client's own part of latencies is long.
type Cause string

// The causes.
const (
	CauseStall      Cause = "stall"      // the process did not run
	CauseThrottled  Cause = "throttled"  // by the cgroup's quota
	CauseOwnCPU     Cause = "cpu"        // warp needs all CPUs itself
	CauseServer     Cause = "server"     // the server is on the same machine and needs its CPUs, as other programs may
	CauseOthers     Cause = "others"     // other programs use the CPUs
	CauseGoroutines Cause = "goroutines" // more of them than threads to run them
	CauseGC         Cause = "gc"         // pauses of the garbage collector
	CauseUnknown    Cause = "unknown"    // the system reports nothing that explains causeShare of the own part
)

// causeShare is the share of the own part that something must explain to be its cause.
const causeShare = 0.25

// ownPart returns the limit of the operations with the greatest share of the client's own part, if that is more than a tenth.
func (s *Summary) ownPart(shares []Share) (l Limit, limited bool) {
	worst, others := 0.0, 0
	for _, sh := range shares {
		if sh.Latency <= 0 {
			continue
		}
		own, estimated := float64(sh.Own)/1e6, false
		if !sh.Measured {
			if e := s.estimate(sh.Percentile); e > own {
				own, estimated = e, true
			}
		}
		latency := float64(sh.Latency) / 1e6
		if own <= ownLimit*latency {
			continue
		}
		others++
		if own/latency > worst {
			worst = own / latency
			l = Limit{
				Kind: OwnPart, Figure: own, Bound: ownLimit * latency, Unit: inMillis,
				Op: sh.Of, Percentile: sh.Percentile, Latency: latency, Objective: sh.Objective,
				Estimated: estimated, AtLeast: !estimated && !sh.Measured,
			}
		}
	}
	if others == 0 {
		return l, false
	}
	var why string
	l.Text = l.part(others - 1)
	if l.Cause, why = s.cause(&l); why != "" {
		l.Text += ": " + why
	}
	return l, true
}

// part says how much of a latency is the client's own part, which is too long for more kinds of operations too.
func (l *Limit) part(more int) string {
	about := ""
	switch {
	case l.Estimated:
		about = "by estimate "
	case l.AtLeast:
		about = "at least "
	}
	own, whole := duration(l.Figure), fmt.Sprintf("p%g of %s", l.Percentile, duration(l.Latency))
	switch {
	case l.Objective: // which may be about another percentile
		own, whole = fmt.Sprintf("%s (p%g)", own, l.Percentile), "the "+duration(l.Latency)+" allowed"
		if l.Op != "" {
			whole += " for " + l.Op
		}
	case l.Op != "":
		whole = l.Op + "'s " + whole
	default:
		whole = "the " + whole
	}
	text := fmt.Sprintf("%s%s of %s are the client's own, more than a tenth", about, own, whole)
	if more > 0 {
		text += fmt.Sprintf(" (and likewise for %s)", units.Plural(int64(more), "more kind"))
	}
	return text
}

// length returns how long the operations take at least, in ms: an objective is the latency of none.
func (l *Limit) length() float64 {
	if l.Objective {
		return l.Figure
	}
	return l.Latency
}

// estimate returns how long the client's own part of latencies, in ms, may be at a percentile where it was not measured: the wait for a
// CPU, and that of a goroutine for a thread. It is 0 if neither is known, or threads seldom wait. Where it was measured too, it was within
// a factor of two in most cases, and of five in all (decision 37).
func (s *Summary) estimate(percentile float64) (ms float64) {
	return s.CPUWait.at(percentile) + s.Lateness.at(percentile)
}

// at returns how long threads waited for a CPU at a percentile, in ms: 0 if they seldom did. Waits are distributed about exponentially, but
// for the last percent.
func (w *CPUWait) at(percentile float64) (ms float64) {
	switch {
	case w == nil || w.Percent <= waitShareLimit:
		return 0
	case percentile >= 99:
		return longWaits * w.MeanMillis
	}
	return -math.Log(1-percentile/100) * w.MeanMillis
}

// at returns how long goroutines waited for a thread at a percentile, in ms: between the median and the 99th percentile at least the
// median.
func (l *Lateness) at(percentile float64) (ms float64) {
	switch {
	case l == nil:
		return 0
	case percentile >= 99 && l.P99Millis > 0:
		return l.P99Millis
	}
	return l.P50Millis
}

// cause returns what explains causeShare of the own part of latencies, as a sentence without its full stop. It is empty if the system
// reports nothing that does.
func (s *Summary) cause(limit *Limit) (Cause, string) {
	percentile := limit.Percentile
	explains := func(ms float64) bool { return ms > 0 && ms >= causeShare*limit.Figure }
	g, w, l := s.Cgroup, s.CPUWait, s.Lateness
	switch {
	case s.Stalls != nil && explains(1000*s.Stalls.Longest.Seconds):
		return CauseStall, "the client process did not run for " + s.Stalls.text()
	case g.throttled() && explains(1000*g.ThrottledSeconds/float64(g.ThrottledPeriods)):
		return CauseThrottled, fmt.Sprintf("the cgroup's CPU quota of %s stopped warp in %d of %d periods",
			coreCount(g.QuotaCores), g.ThrottledPeriods, g.Periods)
	case explains(w.at(percentile)):
		cause, who, whose := s.users()
		return cause, fmt.Sprintf("%s, and %s threads waited %s on average for a CPU each time they had work", who, whose, duration(w.MeanMillis))
	case explains(l.at(percentile)):
		return CauseGoroutines, fmt.Sprintf("goroutines waited long for a thread, %s (use more clients with fewer threads each)", l.text())
	case s.GC != nil && explains(s.GC.MaxPauseMillis) && s.GC.share(s.Seconds, limit.length()) >= 1-percentile/100:
		return CauseGC, fmt.Sprintf("the garbage collector stopped warp for up to %s", duration(s.GC.MaxPauseMillis))
	}
	return CauseUnknown, ""
}

// users returns who uses the CPUs that warp's threads wait for.
func (s *Summary) users() (cause Cause, who, whose string) {
	switch {
	case s.CPU != nil && s.CPU.Percent > cpuLimit:
		return CauseOwnCPU, "warp needs all CPUs of this machine", "its"
	case s.Embedded:
		return CauseServer, "warp shares this machine's CPUs with its embedded server, and with any other programs", "its"
	case s.Network.local():
		return CauseServer, "warp shares this machine's CPUs with the server, and with any other programs", "its"
	}
	return CauseOthers, "other programs use this machine's CPUs", "warp's"
}
