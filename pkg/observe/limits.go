package observe

import (
	"fmt"
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

// LimitKind says how a client was the bottleneck.
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

// Limit says how a client was the bottleneck.
type Limit struct {
	Kind   LimitKind `json:"reason"`
	Client string    `json:"client_name,omitempty"` // of several
	Figure float64   `json:"figure"`
	Bound  float64   `json:"bound"`       // what Figure exceeds
	Unit   string    `json:"figure_unit"` // of both: ms, s or percent

	// Of OwnPart.
	Op         string  `json:"operation,omitempty"`   // the operations with the greatest part
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
		switch l.Cause {
		case CauseOthers:
			text += ", other programs use the CPUs"
		case CauseServer:
			text += ", the server is on the same CPUs"
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

// First returns the text of the first limit; empty if there are none.
func First(list []Limit) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Text
}

// Limits beyond which the client counts as the bottleneck of a run.
const (
	cpuLimit       = 85  // percent of the CPUs, and of the quota
	linkLimit      = 90  // percent of the link speed, one way
	throttledLimit = 1   // percent of the periods: a 99th percentile may lie in one of them
	ownLimit       = 0.1 // of a latency
	waitShareLimit = 25  // percent of the time that threads wait or run: with less, they wait now and then
	longWaits      = 16  // mean waits for a CPU: how long one in a hundred takes
)

// Limits says how the client was the bottleneck in the window, so that figures describe the client and not the server; nil
// if it was not, as far as the system reports. It is the only place that decides this.
func (s *Summary) Limits(shares ...Share) []Limit {
	var list []Limit
	add := func(kind LimitKind, figure, bound float64, unit, format string, args ...any) {
		list = append(list, Limit{Kind: kind, Figure: figure, Bound: bound, Unit: unit, Text: fmt.Sprintf(format, args...)})
	}
	if t := s.Stalls; t != nil {
		add(Stalled, t.Seconds, 0, inSeconds,
			"the client process did not run for %s: it was stopped, or its machine was paused or overloaded",
			t.text())
	}
	if t := s.ClockJumps; t != nil {
		add(ClockJumped, t.Seconds, 0, inSeconds,
			"the client's clock jumped ahead by %s: the machine was suspended or paused, or its clock was set", t.text())
	}
	if c := s.CPU; c != nil && c.Percent > cpuLimit {
		add(CPUUsed, c.Percent, cpuLimit, inPercent,
			"CPU at %.0f%% of %s: use more clients, or a client with more CPU",
			c.Percent, coreCount(c.AvailableCores))
	}
	if g := s.Cgroup; g != nil && g.QuotaPercent > cpuLimit {
		add(QuotaUsed, g.QuotaPercent, cpuLimit, inPercent, "CPU at %.0f%% of the cgroup's quota of %s: raise the quota, or use more clients",
			g.QuotaPercent, coreCount(g.QuotaCores))
	}
	if g := s.Cgroup; g.throttled() {
		add(Throttled, percent(float64(g.ThrottledPeriods), float64(g.Periods)), throttledLimit, inPercent,
			"throttled by the cgroup's CPU quota of %s in %d of %d periods: raise the quota, or use more clients",
			coreCount(g.QuotaCores), g.ThrottledPeriods, g.Periods)
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
