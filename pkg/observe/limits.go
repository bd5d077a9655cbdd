package observe

import (
	"fmt"
	"math"
	"time"

	"warp/pkg/units"
)

// Share is the client's own part of the latencies of some operations, next to these latencies, both at one percentile. The zero value says
// that there were too few operations.
type Share struct {
	Of         string        // the operations, as in reports: "GET"
	Percentile float64       // such as 99
	Latency    time.Duration // that is reported, or that an objective allows
	Own        time.Duration // the client's own part, as far as it was measured
	Measured   bool          // all of it was measured; else none of it, or only how late requests were sent
	Objective  bool          // Latency is what an objective allows
}

// LimitKind says in which way a client was the bottleneck.
type LimitKind string

// The kinds of limits. All but OwnPart limit throughput, or make all figures of some seconds wrong.
const (
	Stalled     LimitKind = "stall"
	ClockJumped LimitKind = "clock-jump"
	CPUUsed     LimitKind = "cpu"
	QuotaUsed   LimitKind = "cpu-quota"
	Throttled   LimitKind = "throttled"
	NetworkUsed LimitKind = "network"
	OwnPart     LimitKind = "own-part" // the client's own part of latencies
)

// Units of the figure of a Limit.
const (
	inPercent = "percent"
	inSeconds = "s"
	inMillis  = "ms"
)

// Cause is why the client's own part of latencies is long.
type Cause string

// The causes.
const (
	CauseStall      Cause = "stall"      // the process did not run
	CauseThrottled  Cause = "throttled"  // by the cgroup's quota
	CauseOwnCPU     Cause = "cpu"        // warp needs all CPUs itself
	CauseOthers     Cause = "others"     // other programs use the CPUs
	CauseGoroutines Cause = "goroutines" // more of them than threads to run them
	CauseGC         Cause = "gc"         // pauses of the garbage collector
	CauseUnknown    Cause = "unknown"
)

// Limit is one way in which a client was the bottleneck.
type Limit struct {
	Kind   LimitKind `json:"reason"`
	Client string    `json:"client_name,omitempty"` // of several
	Figure float64   `json:"figure"`
	Bound  float64   `json:"bound"`       // what Figure exceeds
	Unit   string    `json:"figure_unit"` // of both: ms, s or percent

	// Of OwnPart.
	Op         string  `json:"operation,omitempty"`   // the operations of which the part is greatest
	Percentile float64 `json:"percentile,omitempty"`  // of Figure
	Latency    float64 `json:"compared_ms,omitempty"` // of the operations at this percentile, or what an objective allows: Bound is a tenth
	Objective  bool    `json:"allowed,omitempty"`     // Latency is what an objective allows
	Estimated  bool    `json:"estimated,omitempty"`   // Figure was not measured
	AtLeast    bool    `json:"at_least,omitempty"`    // Figure is only how late requests were sent
	Cause      Cause   `json:"cause,omitempty"`

	Text string `json:"sentence"` // a sentence without Prefix
}

// Prefix begins the lines of limits in reports.
const Prefix = "client-limited: "

// String returns the line of a report.
func (l Limit) String() string { return Prefix + l.Text }

// Brief returns the limit in a few words, for a narrow place.
func (l *Limit) Brief() string {
	switch l.Kind {
	case OwnPart:
		text := fmt.Sprintf("own part %s of %s", duration(l.Figure), duration(l.Latency))
		if l.Cause == CauseOthers {
			text += ", other programs use the CPUs"
		}
		return text
	case Stalled:
		return "did not run for " + seconds(l.Figure)
	case ClockJumped:
		return "clock jumped by " + seconds(l.Figure)
	case CPUUsed:
		return fmt.Sprintf("CPU %.0f%%", l.Figure)
	case QuotaUsed:
		return fmt.Sprintf("CPU quota %.0f%%", l.Figure)
	case Throttled:
		return fmt.Sprintf("throttled %.0f%%", l.Figure)
	case NetworkUsed:
		return fmt.Sprintf("network %.0f%%", l.Figure)
	}
	return string(l.Kind)
}

// First returns the text of the first limit; empty without any.
func First(list []Limit) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Text
}

// Limits beyond which the client counts as the bottleneck of a run.
const (
	cpuLimit       = 85   // percent of the CPUs, and of the quota
	linkLimit      = 90   // percent of the link speed, one way
	throttledLimit = 1    // percent of the periods: a 99th percentile may lie in one of them
	ownLimit       = 0.1  // of a latency
	waitShareLimit = 25   // percent of the time in which threads wait or run: from there on they wait for other programs rather than now and then
	longWaits      = 16   // mean waits for a CPU: how long one in a hundred takes
	causeShare     = 0.25 // of the own part that something must explain to be its cause
)

// Limits returns each way in which the client was the bottleneck in the window, so that figures describe the client and not the server; nil
// if it was not, as far as the system reports. It is the only place that decides this.
func (s *Summary) Limits(shares ...Share) []Limit {
	var list []Limit
	add := func(kind LimitKind, figure, bound float64, unit, format string, args ...any) {
		list = append(list, Limit{Kind: kind, Figure: figure, Bound: bound, Unit: unit, Text: fmt.Sprintf(format, args...)})
	}
	if t := s.Stalls; t != nil {
		add(Stalled, t.Seconds, 0, inSeconds, "the client process did not run for %s: it was stopped, or its machine was paused or overloaded", t.text())
	}
	if t := s.ClockJumps; t != nil {
		add(ClockJumped, t.Seconds, 0, inSeconds, "the client's clock jumped ahead by %s: the machine was suspended or paused, or its clock was set", t.text())
	}
	if c := s.CPU; c != nil && c.Percent > cpuLimit {
		add(CPUUsed, c.Percent, cpuLimit, inPercent, "CPU at %.0f%% of %s: use more clients, or a client with more CPU", c.Percent, coreCount(c.AvailableCores))
	}
	if g := s.Cgroup; g != nil && g.QuotaPercent > cpuLimit {
		add(QuotaUsed, g.QuotaPercent, cpuLimit, inPercent, "CPU at %.0f%% of the cgroup's quota of %s: raise the quota, or use more clients",
			g.QuotaPercent, coreCount(g.QuotaCores))
	}
	if g := s.Cgroup; g.throttled() {
		add(Throttled, percent(float64(g.ThrottledPeriods), float64(g.Periods)), throttledLimit, inPercent,
			"throttled by the cgroup's CPU quota of %s in %d of %d periods: raise the quota, or use more clients", coreCount(g.QuotaCores), g.ThrottledPeriods, g.Periods)
	}
	if s.Network != nil {
		for _, i := range s.Network.Interfaces {
			if i.Link != nil && i.Link.Percent > linkLimit {
				add(NetworkUsed, i.Link.Percent, linkLimit, inPercent, "network interface %s at %.0f%% of %s: use more clients, or a faster network",
					i.Name, i.Link.Percent, units.BitRate(i.Link.BitsPerSecond))
			}
		}
	}
	if l, ok := s.ownPart(shares); ok {
		list = append(list, l)
	}
	return list
}

func (c *Cgroup) throttled() bool {
	return c != nil && percent(float64(c.ThrottledPeriods), float64(c.Periods)) > throttledLimit
}

// ownPart returns the limit of the operations of which the client's own part is the greatest share, if that is more than a tenth.
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
				Op: sh.Of, Percentile: sh.Percentile, Latency: latency, Objective: sh.Objective, Estimated: estimated, AtLeast: !estimated && !sh.Measured,
			}
		}
	}
	if others == 0 {
		return l, false
	}
	var why string
	l.Cause, why = s.cause(l.Figure)
	l.Text = why + ". " + l.part(others-1)
	return l, true
}

// part returns the sentence with the own part of latencies, which is too long for more kinds of operations too.
func (l *Limit) part(more int) string {
	name, whose := "", "reported"
	if l.Op != "" {
		name = l.Op + "'s "
	}
	if l.Objective {
		whose = "allowed"
	}
	about := ""
	switch {
	case l.Estimated:
		about = "by estimate "
	case l.AtLeast:
		about = "at least "
	}
	text := fmt.Sprintf("The client's own part of %slatency is %s%s at %g%%, more than a tenth of the %s %s", name, about, duration(l.Figure), l.Percentile, duration(l.Latency), whose)
	if more > 0 {
		text += fmt.Sprintf(" (and likewise for %s)", units.Plural(int64(more), "more kind"))
	}
	return text
}

// estimate returns how long the client's own part of latencies, in ms, may be at a percentile where it was not measured: the wait for a CPU, and
// that of a goroutine for a thread. It is 0 if neither is known, or threads seldom wait. Where it was measured too, it was within a factor of
// two in most cases, and of five in all (decision 37): waits are distributed about exponentially, but for the last percent.
func (s *Summary) estimate(percentile float64) (ms float64) {
	if w := s.CPUWait; w != nil && w.Percent > waitShareLimit {
		ms = -math.Log(1-percentile/100) * w.MeanMillis
		if percentile >= 99 {
			ms = longWaits * w.MeanMillis
		}
	}
	if l := s.Lateness; l != nil {
		if percentile >= 99 && l.P99Millis > 0 {
			return ms + l.P99Millis
		}
		return ms + l.P50Millis
	}
	return ms
}

// cause returns what explains an own part of latencies, in ms, as a sentence without its full stop.
func (s *Summary) cause(own float64) (Cause, string) {
	g, w, l := s.Cgroup, s.CPUWait, s.Lateness
	waits := w != nil && w.Percent > waitShareLimit
	switch {
	case s.Stalls != nil:
		return CauseStall, "the client process did not run for " + s.Stalls.text()
	case g.throttled():
		return CauseThrottled, fmt.Sprintf("the cgroup's CPU quota of %s stopped warp in %d of %d periods", coreCount(g.QuotaCores), g.ThrottledPeriods, g.Periods)
	case waits && s.CPU != nil && s.CPU.Percent > cpuLimit:
		return CauseOwnCPU, fmt.Sprintf("warp needs all CPUs of this machine: its threads waited %s on average for one", duration(w.MeanMillis))
	case waits:
		return CauseOthers, fmt.Sprintf("other programs use this machine's CPUs: warp's threads waited %s on average for one", duration(w.MeanMillis))
	case l != nil && max(l.P99Millis, l.P50Millis) >= causeShare*own:
		return CauseGoroutines, fmt.Sprintf("goroutines waited long for a thread: %s (use more clients with fewer threads each)", l.text())
	case s.GC != nil && s.GC.MaxPauseMillis >= causeShare*own:
		return CauseGC, fmt.Sprintf("the garbage collector stopped warp for up to %s", duration(s.GC.MaxPauseMillis))
	}
	return CauseUnknown, "warp was late to send requests or to read responses, and the system does not say why"
}
