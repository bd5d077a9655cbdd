package observe

import (
	"fmt"
	"time"

	"warp/pkg/units"
)

// Summary is what the process did in a window of time: its samples, merged.
type Summary struct {
	Sample
	// Samples is how many samples were merged. If it is 0, nothing is known.
	Samples int `json:"samples"`
}

// Summarize merges samples, given in order of time: see [Observer.Summary].
func Summarize(samples []Sample, from, to time.Time) Summary {
	middle := func(s Sample) bool {
		m := s.Start.Add(s.End().Sub(s.Start) / 2)
		return (from.IsZero() || !m.Before(from)) && (to.IsZero() || m.Before(to))
	}
	overlaps := func(s Sample) bool {
		return (from.IsZero() || s.End().After(from)) && (to.IsZero() || s.Start.Before(to))
	}
	sum := summarizeIf(samples, middle)
	if sum.Samples == 0 {
		sum = summarizeIf(samples, overlaps)
	}
	sum.Stalls = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.Stalls })
	sum.ClockJumps = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.ClockJumps })
	return sum
}

// stallsIn adds up the stalls in a window. A stall that outlasts the window makes a sample whose middle lies outside.
func stallsIn(samples []Sample, from, to time.Time, of func(Sample) *Stalls) (sum *Stalls) {
	for _, s := range samples {
		if t := of(s); t != nil && t.overlaps(from, to) {
			sum = merged(sum, t, (*Stalls).add)
		}
	}
	return sum
}

func summarizeIf(samples []Sample, belongs func(Sample) bool) Summary {
	var sum Summary
	for _, s := range samples {
		switch {
		case !belongs(s):
			continue
		case sum.Samples == 0:
			sum.Sample = s
		default:
			sum.Sample = sum.merge(s)
		}
		sum.Samples++
	}
	return sum
}

// Limits beyond which the client counts as the bottleneck of a run.
const (
	cpuLimit  = 85 // percent of the CPUs, and of the quota
	linkLimit = 90 // percent of the link speed, one way
	// Waiting for a CPU is too long at a mean of 0.3 ms, if threads wait for at least a quarter of their time, and
	// together for at least 5 % of the window: an idle process stays below. Measured on two CPUs, with loads that
	// take up to a quarter of them: 0.02 to 0.16 ms while others left half of the machine idle, 0.5 to 1.5 ms while they
	// left nothing.
	waitMeanLimit   = 0.3  // ms
	waitShareLimit  = 25   // percent
	waitWindowLimit = 0.05 // of the window
	lateLimit       = 1    // percent of events that wait longer than 1 ms: the 99th percentile exceeds it
)

// Prefix begins each line of a Verdict.
const Prefix = "client-limited: "

// Limit returns the first line of the Verdict, or "" if the client was not the bottleneck.
func (s Summary) Limit() string {
	if lines := s.Verdict(); len(lines) > 0 {
		return lines[0]
	}
	return ""
}

// Verdict returns a line for each way in which the client was the bottleneck in the window, so that the figures
// describe the client and not the server; nil if it was not, as far as the system reports.
func (s Summary) Verdict() []string {
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, Prefix+fmt.Sprintf(format, args...))
	}
	if s.Stalls != nil {
		say("the client process did not run for %s: it was stopped, or its machine was paused or overloaded", s.Stalls.text())
	}
	if s.ClockJumps != nil {
		say("the client's clock jumped ahead by %s: the machine was suspended or paused, or its clock was set", s.ClockJumps.text())
	}
	if c := s.CPU; c != nil && c.Percent > cpuLimit {
		say("CPU at %.0f%% of %s: use more clients, or a client with more CPU", c.Percent, coreCount(c.AvailableCores))
	}
	if g := s.Cgroup; g != nil {
		if g.QuotaPercent > cpuLimit {
			say("CPU at %.0f%% of the cgroup's quota of %s: raise the quota, or use more clients",
				g.QuotaPercent, coreCount(g.QuotaCores))
		}
		if g.ThrottledPeriods > 0 {
			say("throttled by the cgroup's CPU quota of %s in %d of %d periods: raise the quota, or use more clients",
				coreCount(g.QuotaCores), g.ThrottledPeriods, g.Periods)
		}
	}
	if w := s.CPUWait; w != nil && w.MeanMillis > waitMeanLimit && w.Percent > waitShareLimit &&
		w.WaitSeconds >= waitWindowLimit*s.Seconds {
		say("threads spent %.0f%% of their time waiting for a CPU (%s per wait): stop other programs on this machine, or use one with more CPU",
			w.Percent, duration(w.MeanMillis))
	}
	if s.Network != nil {
		for _, i := range s.Network.Interfaces {
			if i.Link != nil && i.Link.Percent > linkLimit {
				say("network interface %s at %.0f%% of %s: use more clients, or a faster network",
					i.Name, i.Link.Percent, units.BitRate(i.Link.BitsPerSecond))
			}
		}
	}
	if l := s.Lateness; l != nil && l.LateEvents >= fewBeyond && percent(float64(l.LateEvents), float64(l.Events)) > lateLimit {
		say("%s, over 1ms: use more clients with fewer threads each, or a client with more CPU", l.text())
	}
	return lines
}
