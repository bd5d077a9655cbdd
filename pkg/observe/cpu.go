package observe

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
