package observe

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"
)

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
		g.Periods = max(g.Periods, int64(increase(before.periods, now.periods)))
		g.ThrottledPeriods = max(g.ThrottledPeriods, int64(increase(before.throttled, now.throttled)))
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

// throttle is what a cgroup has counted since its creation.
type throttle struct {
	periods, throttled uint64
	time               time.Duration
}

// cgroupDirs returns the directories of the process's CPU cgroup and of its visible ancestors, and whether they are
// version 1; no directories without such a group.
func (f *files) cgroupDirs() (dirs []string, old bool) {
	b, err := f.read("/proc/self/cgroup")
	if err != nil {
		return nil, false
	}
	v1, v2 := parseCgroup(b)
	if b, err = f.read("/proc/self/mountinfo"); err != nil {
		return nil, false
	}
	mounts := parseMounts(b)
	for _, m := range mounts {
		if v1 != "" && m.kind == "cgroup" && slices.Contains(strings.Split(m.options, ","), "cpu") {
			return f.levels(m, v1), true
		}
	}
	for _, m := range mounts {
		if v2 != "" && m.kind == "cgroup2" {
			return f.levels(m, v2), false
		}
	}
	return nil, false
}

// levels returns the directories from that of group up to the mount point. In a container the group may lie outside of
// what is mounted; then the mount point is the container's own group.
func (f *files) levels(m mount, group string) []string {
	below, ok := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(m.root, "/"))
	dir := path.Join(m.point, path.Clean("/"+below))
	if !ok || (below != "" && below[0] != '/') || !f.exists(dir) {
		dir = m.point
	}
	dirs := []string{dir}
	for dir != m.point {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// parseCgroup parses /proc/self/cgroup: the CPU groups of version 1 and 2, or empty.
func parseCgroup(b []byte) (v1, v2 string) {
	for line := range bytes.Lines(b) {
		part := strings.SplitN(strings.TrimSuffix(string(line), "\n"), ":", 3)
		if len(part) != 3 || !strings.HasPrefix(part[2], "/") {
			continue
		}
		switch {
		case part[0] == "0" && part[1] == "":
			v2 = part[2]
		case slices.Contains(strings.Split(part[1], ","), "cpu"):
			v1 = part[2]
		}
	}
	return v1, v2
}

// mount is one line of /proc/self/mountinfo.
type mount struct {
	root    string // the part of the tree that is mounted
	point   string // where it is mounted
	kind    string // type of file system
	options string // of the file system
}

// parseMounts parses /proc/self/mountinfo. Malformed lines are skipped.
func parseMounts(b []byte) []mount {
	var mounts []mount
	for line := range bytes.Lines(b) {
		before, after, ok := strings.Cut(string(line), " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !ok || len(head) < 6 || len(tail) < 3 {
			continue
		}
		m := mount{root: unescape(head[3]), point: unescape(head[4]), kind: tail[0], options: tail[2]}
		if strings.HasPrefix(m.root, "/") && strings.HasPrefix(m.point, "/") {
			m.root, m.point = path.Clean(m.root), path.Clean(m.point)
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// unescape decodes mountinfo's escapes of white space: a backslash and three octal digits.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// parseCPUMax parses cpu.max of version 2, "QUOTA PERIOD" in µs, into CPUs; false without a quota.
func parseCPUMax(b []byte) (float64, bool) {
	field := bytes.Fields(b)
	if len(field) != 2 {
		return 0, false
	}
	quota, ok := parseNumber(field[0]) // "max" means no quota
	period, ok2 := parseNumber(field[1])
	return cores(quota, period), ok && ok2 && quota > 0 && period > 0
}

func cores(quota, period uint64) float64 {
	if period == 0 {
		return 0
	}
	return float64(quota) / float64(period)
}

// parseCPUStat parses cpu.stat of either version.
func parseCPUStat(b []byte) throttle {
	var t throttle
	for line := range bytes.Lines(b) {
		field := bytes.Fields(line)
		if len(field) != 2 {
			continue
		}
		n, ok := parseNumber(field[1])
		if !ok {
			continue
		}
		switch string(field[0]) {
		case "nr_periods":
			t.periods = n
		case "nr_throttled":
			t.throttled = n
		case "throttled_usec": // version 2
			t.time = span64(n, time.Microsecond)
		case "throttled_time": // version 1
			t.time = span64(n, time.Nanosecond)
		}
	}
	return t
}
