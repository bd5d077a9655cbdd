package observe

import (
	"runtime"
	"time"
)

// CPU is the CPU time of the whole process.
type CPU struct {
	UserSeconds   float64 `json:"user_s"`
	SystemSeconds float64 `json:"system_s"`
	// Cores is the average number of CPUs that the process kept busy.
	Cores float64 `json:"cores"`
	// AvailableCores is how many it may use: the CPUs that it may run on (affinity), or GOMAXPROCS
	// if that is less. A quota of the cgroup is reported separately.
	AvailableCores float64 `json:"available_cores"`
	// Percent is Cores as a share of AvailableCores.
	Percent    float64 `json:"percent"`
	MaxPercent float64 `json:"max_percent"`
	// Switches is nil where the system does not count them.
	Switches *Switches `json:"context_switches,omitempty"`
}

// Switches are context switches of the threads of the process.
type Switches struct {
	Voluntary   int64 `json:"voluntary"`   // the thread blocked
	Involuntary int64 `json:"involuntary"` // the thread was preempted
}

func (c *CPU) derive() {
	c.Percent = percent(c.Cores, c.AvailableCores)
	c.MaxPercent = max(c.MaxPercent, c.Percent)
}

func (c *CPU) add(d *CPU, w weights) {
	c.UserSeconds += d.UserSeconds
	c.SystemSeconds += d.SystemSeconds
	c.Cores = w.mean(c.Cores, d.Cores)
	c.AvailableCores = w.mean(c.AvailableCores, d.AvailableCores)
	c.MaxPercent = max(c.MaxPercent, d.MaxPercent)
	c.Switches = merged(c.Switches, d.Switches, func(s, t *Switches) {
		s.Voluntary += t.Voluntary
		s.Involuntary += t.Involuntary
	})
	c.derive()
}

// usage is what the system has counted for the process since its start.
type usage struct {
	user, system           time.Duration
	voluntary, involuntary uint64
	switches               bool // context switches are counted
}

type cpuSource struct {
	before usage
	begun  bool
}

func (c *cpuSource) read(s *Sample) {
	now, ok := processUsage()
	if !ok {
		return
	}
	before := c.before
	c.before = now
	if !c.begun {
		c.begun = true
		return
	}
	s.CPU = &CPU{
		UserSeconds:    max(0, (now.user - before.user).Seconds()),
		SystemSeconds:  max(0, (now.system - before.system).Seconds()),
		AvailableCores: float64(min(runtime.NumCPU(), runtime.GOMAXPROCS(0))),
	}
	s.CPU.Cores = (s.CPU.UserSeconds + s.CPU.SystemSeconds) / s.Seconds
	if now.switches {
		s.CPU.Switches = &Switches{
			Voluntary:   int64(grown(before.voluntary, now.voluntary)),
			Involuntary: int64(grown(before.involuntary, now.involuntary)),
		}
	}
	s.CPU.derive()
}
