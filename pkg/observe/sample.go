package observe

import "time"

// Sample is what the process did in one interval, or in several merged ones. Counts, seconds and bytes are of the
// interval alone. Parts that the system does not report are nil.
//
// In merged samples, sums and shares cover the whole time, and figures named Max are of the worst interval.
type Sample struct {
	Start   time.Time `json:"start"`
	Seconds float64   `json:"duration_s"`

	// Embedded says that the server was warp's own, on the same CPUs.
	Embedded bool `json:"embedded_server,omitempty"`

	CPU     *CPU     `json:"cpu,omitempty"`
	Cgroup  *Cgroup  `json:"cgroup,omitempty"`
	CPUWait *CPUWait `json:"cpu_wait,omitempty"`
	GC      *GC      `json:"gc,omitempty"`
	Memory  *Memory  `json:"memory,omitempty"`
	Network *Network `json:"network,omitempty"`
	TCP     *TCP     `json:"tcp,omitempty"`

	Lateness *Lateness `json:"lateness,omitempty"`

	// Stalls are times when the process did not run although the clock went on; nil if there are none.
	Stalls *Stalls `json:"stalls,omitempty"`
	// ClockJumps are jumps of the system's clock ahead of the monotonic one: the machine was suspended or paused, or its
	// clock was set. Nil if there are none.
	ClockJumps *Stalls `json:"clock_jumps,omitempty"`

	// Goroutines is their number at the end of the interval; the maximum in merged samples.
	Goroutines int64 `json:"goroutines"`
}

// End returns when the interval ended.
func (s Sample) End() time.Time { return s.Start.Add(time.Duration(s.Seconds * float64(time.Second))) }

// merge returns s followed by the later t. Neither changes, nor what they point to.
func (s Sample) merge(t Sample) Sample {
	sum := s.Seconds + t.Seconds
	if sum <= 0 {
		return s
	}
	w := weights{s.Seconds / sum, t.Seconds / sum}
	return Sample{
		Start:    s.Start,
		Seconds:  sum,
		Embedded: s.Embedded || t.Embedded,
		CPU:      merged(s.CPU, t.CPU, func(a, b *CPU) { a.add(b, w) }),
		Cgroup:   merged(s.Cgroup, t.Cgroup, func(a, b *Cgroup) { a.add(b, w) }),
		CPUWait:  merged(s.CPUWait, t.CPUWait, (*CPUWait).add),
		GC:       merged(s.GC, t.GC, func(a, b *GC) { a.add(b, w) }),
		Memory:   merged(s.Memory, t.Memory, (*Memory).add),
		Network:  merged(s.Network, t.Network, func(a, b *Network) { a.add(b, sum) }),
		TCP:      merged(s.TCP, t.TCP, (*TCP).add),
		Lateness: merged(s.Lateness, t.Lateness, (*Lateness).add),

		Stalls:     merged(s.Stalls, t.Stalls, (*Stalls).add),
		ClockJumps: merged(s.ClockJumps, t.ClockJumps, (*Stalls).add),
		Goroutines: max(s.Goroutines, t.Goroutines),
	}
}
