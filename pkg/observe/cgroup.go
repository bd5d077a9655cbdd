package observe

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
