package observe

import "path"

// Cgroup is how the cgroup of the process limits its processor time. It is there only while a quota is set, be it on the
// group itself or on one above it.
type Cgroup struct {
	// QuotaCores is the smallest quota, in processors.
	QuotaCores float64 `json:"quota_cores"`
	// QuotaPercent is the processor time of this process of the quota. Others in the same group use it too.
	QuotaPercent    float64 `json:"quota_percent"`
	MaxQuotaPercent float64 `json:"max_quota_percent"`
	// Periods is how many enforcement periods passed (usually of 100 ms), and ThrottledPeriods in how many the group had
	// used up its quota and was held until the next.
	Periods          int64 `json:"periods"`
	ThrottledPeriods int64 `json:"throttled_periods"`
	// ThrottledSeconds is for how long it was held, summed over processors.
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

// cgroupSource reads the group of the process and the groups above it: the quota of each of them holds.
type cgroupSource struct {
	files  *files
	dirs   []string // from the group itself upwards
	old    bool     // version 1 of the interface
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

// quota is how many processors the group may use; false if as many as it likes.
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
	quota, ok := parseNumber(b) // -1 is none, and no number
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
