package observe

import "runtime"

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
			Voluntary:   int64(increase(before.voluntary, now.voluntary)),
			Involuntary: int64(increase(before.involuntary, now.involuntary)),
		}
	}
	s.CPU.derive()
}
