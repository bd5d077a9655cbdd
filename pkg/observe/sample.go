package observe

import "time"

// Sample is what the process did in one interval, or in several that were put together. Counts, seconds and bytes are of
// the interval alone. Parts that the system does not tell are nil.
//
// Where intervals are put together, sums and shares are of the whole time, and figures named Max are of the worst interval.
type Sample struct {
	Start   time.Time `json:"start"`
	Seconds float64   `json:"duration_s"`

	CPU     *CPU     `json:"cpu,omitempty"`
	Cgroup  *Cgroup  `json:"cgroup,omitempty"`
	CPUWait *CPUWait `json:"cpu_wait,omitempty"`
	GC      *GC      `json:"gc,omitempty"`
	Memory  *Memory  `json:"memory,omitempty"`
	Network *Network `json:"network,omitempty"`
	TCP     *TCP     `json:"tcp,omitempty"`

	Lateness *Lateness `json:"lateness,omitempty"`

	// Stalls are times in which the process stood still while the clock went on; nil if there were none.
	Stalls *Stalls `json:"stalls,omitempty"`
	// ClockJumps are by how much the system's clock went ahead of the monotonic one: the machine was suspended or paused, or
	// somebody set its clock. Nil if it never did.
	ClockJumps *Stalls `json:"clock_jumps,omitempty"`

	// Goroutines is how many there were at the end of the interval; of several intervals, the most.
	Goroutines int64 `json:"goroutines"`
}

// End is when the interval ended.
func (s Sample) End() time.Time { return s.Start.Add(time.Duration(s.Seconds * float64(time.Second))) }

// merge puts the later t after s. Neither changes, nor what they point to.
func (s Sample) merge(t Sample) Sample {
	sum := s.Seconds + t.Seconds
	if sum <= 0 {
		return s
	}
	w := weights{s.Seconds / sum, t.Seconds / sum}
	return Sample{
		Start:    s.Start,
		Seconds:  sum,
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

// merged adds b to a copy of a. Where one is absent it is the other.
func merged[T any](a, b *T, add func(*T, *T)) *T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a
	add(&sum, b)
	return &sum
}

// weights are the parts of the time that two intervals have of both together.
type weights struct{ first, second float64 }

func (w weights) mean(a, b float64) float64 { return w.first*a + w.second*b }

// percent is part of whole; 0 of nothing.
func percent(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * part / whole
}

// grown is by how much a counter went up. One that went down was reset, and how much it counted since is not known.
func grown(before, now uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}
