package observe

import "fmt"

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

// Verdict returns a line for each way in which the client was the bottleneck in the window, so that the figures
// describe the client and not the server; nil if it was not, as far as the system reports.
func (s Summary) Verdict() []string {
	var lines []string
	say := func(format string, args ...any) {
		lines = append(lines, "client-limited: "+fmt.Sprintf(format, args...))
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
					i.Name, i.Link.Percent, bitRate(i.Link.BitsPerSecond))
			}
		}
	}
	if l := s.Lateness; l != nil && l.LateEvents >= fewBeyond && percent(float64(l.LateEvents), float64(l.Events)) > lateLimit {
		say("%s, over 1ms: use more clients with fewer threads each, or a client with more CPU", l.text())
	}
	return lines
}
