package observe

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

const mountsV2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

func TestCgroupDirs(t *testing.T) {
	for _, c := range []struct {
		name, cgroup, mounts string
		made                 []string // directories that exist
		want                 []string
		old                  bool
	}{
		{
			"version 2", "0::/a/b\n", mountsV2,
			[]string{"/sys/fs/cgroup/a/b"},
			[]string{"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"},
			false,
		},
		{"own namespace", "0::/\n", mountsV2, nil, []string{"/sys/fs/cgroup"}, false},
		{"group outside of the mount", "0::/../..\n", mountsV2, nil, []string{"/sys/fs/cgroup"}, false},
		{"group not seen", "0::/gone\n", mountsV2, nil, []string{"/sys/fs/cgroup"}, false},
		{
			"container with version 1", "3:cpuacct,cpu:/docker/x/y\n", "33 31 0:30 /docker/x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
			[]string{"/sys/fs/cgroup/cpu/y"},
			[]string{"/sys/fs/cgroup/cpu/y", "/sys/fs/cgroup/cpu"},
			true,
		},
		{
			"name that begins alike", "3:cpu:/docker/xy\n", "33 31 0:30 /docker/x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
			[]string{"/sys/fs/cgroup/cpu/y"},
			[]string{"/sys/fs/cgroup/cpu"},
			true,
		},
		{
			"both versions", "1:cpu:/\n0::/u\n", mountsV2 + "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
			nil,
			[]string{"/sys/fs/cgroup/cpu"},
			true,
		},
		{"none", "", "", nil, nil, false},
	} {
		tr := newTree(t, map[string]string{"proc/self/cgroup": c.cgroup, "proc/self/mountinfo": c.mounts})
		for _, dir := range c.made {
			tr.write(dir+"/cpu.stat", "")
		}
		if got, old := tr.files().cgroupDirs(); !slices.Equal(got, c.want) || old != c.old {
			t.Errorf("%s: %q %v", c.name, got, old)
		}
	}
}

func TestCgroupSource(t *testing.T) {
	interval := func() *Sample { return &Sample{Seconds: 2, CPU: &CPU{Cores: 1.5}} }

	t.Run("version 2, limited by a group above", func(t *testing.T) {
		tr := newTree(t, map[string]string{
			"proc/self/cgroup": "0::/pod/main\n", "proc/self/mountinfo": mountsV2,
			"sys/fs/cgroup/pod/main/cpu.max": "max 100000\n", "sys/fs/cgroup/pod/main/cpu.stat": "usage_usec 1\n",
			"sys/fs/cgroup/pod/cpu.max":  "200000 100000\n",
			"sys/fs/cgroup/pod/cpu.stat": "nr_periods 100\nnr_throttled 5\nthrottled_usec 1000000\n",
		})
		src := newCgroupSource(tr.files())
		first := interval()
		src.read(first)
		if first.Cgroup != nil {
			t.Errorf("counted before the start: %+v", first.Cgroup)
		}
		tr.write("sys/fs/cgroup/pod/cpu.stat", "nr_periods 120\nnr_throttled 15\nthrottled_usec 1500000\n")
		s := interval()
		src.read(s)
		want := &Cgroup{QuotaCores: 2, QuotaPercent: 75, MaxQuotaPercent: 75, Periods: 20, ThrottledPeriods: 10, ThrottledSeconds: 0.5}
		if !reflect.DeepEqual(s.Cgroup, want) {
			t.Errorf("got %+v", s.Cgroup)
		}
		tr.write("sys/fs/cgroup/pod/cpu.max", "max 100000\n")
		s = interval()
		src.read(s)
		if s.Cgroup != nil {
			t.Errorf("without a quota: %+v", s.Cgroup)
		}
	})

	t.Run("version 1", func(t *testing.T) {
		const dir = "sys/fs/cgroup/cpu/"
		tr := newTree(t, map[string]string{
			"proc/self/cgroup": "1:cpu:/\n", "proc/self/mountinfo": "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
			dir + "cpu.cfs_quota_us": "-1\n", dir + "cpu.cfs_period_us": "100000\n", dir + "cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n",
		})
		src := newCgroupSource(tr.files())
		src.read(interval())
		s := interval()
		src.read(s)
		if s.Cgroup != nil {
			t.Errorf("without a quota: %+v", s.Cgroup)
		}
		tr.write(dir+"cpu.cfs_quota_us", "150000\n")
		tr.write(dir+"cpu.stat", "nr_periods 20\nnr_throttled 1\nthrottled_time 30000000\n")
		src.read(s)
		want := &Cgroup{QuotaCores: 1.5, QuotaPercent: 100, MaxQuotaPercent: 100, Periods: 20, ThrottledPeriods: 1, ThrottledSeconds: 0.03}
		if !reflect.DeepEqual(s.Cgroup, want) {
			t.Errorf("got %+v", s.Cgroup)
		}
	})
}

// line of /proc/net/dev.
func device(name string, received, sent string) string {
	return name + ": " + received + " 0 0 0 0 0 0 0 " + sent + " 0 0 0 0 0 0 0\n"
}

func TestNetworkSource(t *testing.T) {
	tr := newTree(t, map[string]string{
		"proc/self/net/dev":              device("lo", "10", "10") + device("eth0", "1000", "2000") + device("eth1", "5", "5") + device("br0", "1000", "2000"),
		"sys/class/net/eth0/device/type": "", "sys/class/net/eth0/speed": "10\n",
		"sys/class/net/eth1/device/type": "", "sys/class/net/eth1/speed": "-1\n",
		"sys/class/net/br0/speed": "10000\n",
	})
	src := newNetworkSource(tr.files())
	s := &Sample{Seconds: 2}
	src.read(s)
	if s.Network != nil {
		t.Errorf("counted before the start: %+v", s.Network)
	}
	tr.write("proc/self/net/dev", device("lo", "110", "110")+device("eth0", "1001000", "2002000")+device("eth1", "6", "4")+
		device("br0", "1001000", "2002000")+device("new", "77", "77"))
	src.read(s)
	want := &Network{SentBytes: 2_000_000, ReceivedBytes: 1_000_001, LoopbackBytes: 100, Interfaces: []Interface{
		{Name: "eth0", SentBytes: 2_000_000, ReceivedBytes: 1_000_000, Link: &Link{BitsPerSecond: 10e6, Percent: 80, MaxPercent: 80}},
		{Name: "eth1", ReceivedBytes: 1}, // what it sent went down: it was reset
	}}
	if !reflect.DeepEqual(s.Network, want) {
		t.Errorf("got %+v", s.Network)
	}
}

func TestNetworkSourceInContainer(t *testing.T) {
	tr := newTree(t, map[string]string{
		"proc/self/net/dev":        device("lo", "0", "0") + device("eth0", "0", "0"),
		"sys/class/net/eth0/speed": "10000\n", // what a virtual one says is made up
	})
	src := newNetworkSource(tr.files())
	src.read(&Sample{})
	tr.write("proc/self/net/dev", device("lo", "0", "0")+device("eth0", "500", "70"))
	s := &Sample{Seconds: 1}
	src.read(s)
	want := &Network{SentBytes: 70, ReceivedBytes: 500, Interfaces: []Interface{{Name: "eth0", SentBytes: 70, ReceivedBytes: 500}}}
	if !reflect.DeepEqual(s.Network, want) {
		t.Errorf("got %+v", s.Network)
	}
}

func TestTCPSource(t *testing.T) {
	tr := newTree(t, map[string]string{"proc/self/net/snmp": "Tcp: OutSegs RetransSegs\nTcp: 1000 10\n"})
	src := &tcpSource{files: tr.files()}
	s := &Sample{Seconds: 1}
	src.read(s)
	if s.TCP != nil {
		t.Errorf("counted before the start: %+v", s.TCP)
	}
	tr.write("proc/self/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 1990 20\n")
	src.read(s)
	if want := (TCP{990, 10, 1}); s.TCP == nil || *s.TCP != want {
		t.Errorf("got %+v", s.TCP)
	}
}

func TestWaitSource(t *testing.T) {
	const task = "proc/self/task/"
	tr := newTree(t, map[string]string{task + "1/schedstat": "1000000000 500 10\n", task + "2/schedstat": "broken\n"})
	src := &waitSource{files: tr.files()}
	s := &Sample{Seconds: 1}
	src.read(s)
	if s.CPUWait != nil {
		t.Errorf("counted before the start: %+v", s.CPUWait)
	}
	tr.write(task+"1/schedstat", "1500000000 500000500 60\n")
	tr.write(task+"3/schedstat", "250000000 250000000 50\n") // began since
	src.read(s)
	want := CPUWait{RunSeconds: 0.75, WaitSeconds: 0.75, Turns: 100, MeanMillis: 7.5, Percent: 50}
	if s.CPUWait == nil || *s.CPUWait != want {
		t.Errorf("got %+v", s.CPUWait)
	}
}

// The threads of a large process are looked at in turn, and none of their time is lost.
func TestWaitSourceOfManyThreads(t *testing.T) {
	const threads = 3*threadsPerSample - 5
	tr := newTree(t, nil)
	set := func(thread int, stat string) { tr.write(fmt.Sprintf("proc/self/task/%d/schedstat", thread), stat) }
	for i := range threads {
		set(i, "1000 1000 1\n")
	}
	src := &waitSource{files: tr.files()}
	src.read(&Sample{})
	for i := range threads {
		set(i, "3000 2000 2\n")
	}
	var count []int64
	var sum CPUWait
	for range 4 {
		var s Sample
		src.read(&s)
		if s.CPUWait == nil { // nothing is new in the second round
			count = append(count, 0)
			continue
		}
		count = append(count, s.CPUWait.Turns)
		sum.add(s.CPUWait)
	}
	if want := []int64{threadsPerSample, threadsPerSample, threadsPerSample - 5, 0}; !slices.Equal(count, want) {
		t.Errorf("turns in each sample: %v, want %v", count, want)
	}
	if sum.Turns != threads || math.Abs(sum.Percent-100./3) > 0.01 {
		t.Errorf("together %+v", sum)
	}
}

func TestWaitSourceForgetsThreads(t *testing.T) {
	tr := newTree(t, map[string]string{"proc/self/task/1/schedstat": "1 1 1\n", "proc/self/task/2/schedstat": "1 1 1\n"})
	src := &waitSource{files: tr.files()}
	src.read(&Sample{})
	if err := os.RemoveAll(filepath.Join(tr.root, "proc/self/task/2")); err != nil {
		t.Fatal(err)
	}
	src.read(&Sample{})
	if len(src.before) != 1 {
		t.Errorf("remembers %v", src.before)
	}
}

// Nothing that the system does not tell may appear, as a 0 or otherwise.
func TestSourcesOfNothing(t *testing.T) {
	f := newTree(t, nil).files()
	s := &Sample{Seconds: 1, CPU: &CPU{Cores: 1}, Memory: &Memory{}}
	for _, src := range []source{newCgroupSource(f), newNetworkSource(f), &tcpSource{files: f}, &waitSource{files: f}, &memorySource{f}} {
		src.read(s)
		src.read(s)
	}
	want := &Sample{Seconds: 1, CPU: &CPU{Cores: 1}, Memory: &Memory{}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v", s)
	}
}
