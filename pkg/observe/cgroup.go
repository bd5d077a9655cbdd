package observe

import "path"

// Cgroup is the CPU limit of the process's cgroup. It exists only while a quota is set, on the group itself or on an
// ancestor.
type Cgroup struct {
	// QuotaCores is the smallest quota, in CPUs.
	QuotaCores float64 `json:"quota_cores"`
	// QuotaPercent is the CPU time of this process as a share of the quota. Other processes in the group use it too.
	QuotaPercent    float64 `json:"quota_percent"`
	MaxQuotaPercent float64 `json:"max_quota_percent"`
	// Periods is the number of enforcement periods (usually 100 ms each), and ThrottledPeriods the number of those in
	// which the group used up its quota and was stopped until the next.
	Periods          int64 `json:"periods"`
	ThrottledPeriods int64 `json:"throttled_periods"`
	// ThrottledSeconds is how long it was stopped, summed over CPUs.
	ThrottledSeconds float64 `json:"throttled_s"`
}

func (c *Cgroup) add(d *Cgroup, w weights) {
	quota := w.mean(c.QuotaCores, d.QuotaCores)
	c.QuotaPercent = percent(w.mean(c.QuotaPercent*c.QuotaCores, d.QuotaPercent*d.QuotaCores)/100, quota)
	c.QuotaCores = quota
	c.MaxQuotaPercent = max(c.MaxQuotaPercent, d.MaxQuotaPercent)
	c.Periods += d.Periods
	c.ThrottledPeriods += d.ThrottledPeriods
	c.ThrottledSeconds += d.ThrottledSeconds
}

// cgroupSource reads the group of the process and its ancestors: each of their quotas applies.
type cgroupSource struct {
	files  *files
	dirs   []string // the group itself first, then its ancestors
	old    bool     // cgroup version 1
	before []throttle
	begun  bool
}

func newCgroupSource(f *files) *cgroupSource {
	c := &cgroupSource{files: f}
	c.dirs, c.old = f.cgroupDirs()
	c.before = make([]throttle, len(c.dirs))
	return c
}

func (c *cgroupSource) read(s *Sample) {
	var g Cgroup
	for i, dir := range c.dirs {
		quota, limited := c.quota(dir)
		b, err := c.files.read(path.Join(dir, "cpu.stat"))
		if err != nil {
			continue
		}
		before, now := c.before[i], parseCPUStat(b)
		c.before[i] = now
		if !limited {
			continue
		}
		if g.QuotaCores == 0 || quota < g.QuotaCores {
			g.QuotaCores = quota
		}
		g.Periods = max(g.Periods, int64(grown(before.periods, now.periods)))
		g.ThrottledPeriods = max(g.ThrottledPeriods, int64(grown(before.throttled, now.throttled)))
		g.ThrottledSeconds += max(0, (now.time - before.time).Seconds())
	}
	begun := c.begun
	c.begun = true
	if !begun || g.QuotaCores == 0 || s.CPU == nil {
		return
	}
	g.QuotaPercent = percent(s.CPU.Cores, g.QuotaCores)
	g.MaxQuotaPercent = g.QuotaPercent
	s.Cgroup = &g
}

// quota returns the number of CPUs that the group may use; false if unlimited.
func (c *cgroupSource) quota(dir string) (float64, bool) {
	if !c.old {
		b, err := c.files.read(path.Join(dir, "cpu.max"))
		if err != nil {
			return 0, false
		}
		return parseCPUMax(b)
	}
	b, err := c.files.read(path.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0, false
	}
	quota, ok := parseNumber(b) // -1 means no quota, and is not an unsigned number
	if !ok {
		return 0, false
	}
	b, err = c.files.read(path.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0, false
	}
	period, ok := parseNumber(b)
	return cores(quota, period), ok && quota > 0 && period > 0
}
