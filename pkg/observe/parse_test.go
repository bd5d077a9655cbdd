package observe

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5000 33    0    0    0     0          0         0 5000 33    0    0    0     0       0          0
  eth0:648330088   39787    0    0    0     0          0         0  3790672   32324    0    0    0     0       0          0
eth0:1: 7 0 0 0 0 0 0 0 9 0 0 0 0 0 0 0
`

func TestParseNetDev(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     map[string]traffic
	}{
		{"usual", netDev, map[string]traffic{"lo": {5000, 5000}, "eth0": {648330088, 3790672}, "eth0:1": {7, 9}}},
		{"empty", "", map[string]traffic{}},
		{"cut", "eth0: 1 2 3", map[string]traffic{}},
		{"no name", ": 1 2 3 4 5 6 7 8 9", map[string]traffic{}},
		{"no number", "eth0: x 2 3 4 5 6 7 8 9", map[string]traffic{}},
		{"too large", "eth0: 1 2 3 4 5 6 7 8 99999999999999999999", map[string]traffic{}},
	} {
		if got := parseNetDev([]byte(c.in)); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

const snmp = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn OutSegs RetransSegs InErrs
Tcp: 1 200 120000 -1 3385154 16557 0
`

func TestParseSNMP(t *testing.T) {
	for _, c := range []struct {
		name, in    string
		sent, again uint64
		ok          bool
	}{
		{"usual", snmp, 3385154, 16557, true},
		{"other order", "Tcp: RetransSegs OutSegs\nTcp: 1 2\n", 2, 1, true},
		{"names only", "Tcp: OutSegs RetransSegs\n", 0, 0, false},
		{"values missing", "Tcp: OutSegs RetransSegs\nTcp: 5\n", 5, 0, false},
		{"no TCP", "Udp: InDatagrams\nUdp: 4\n", 0, 0, false},
		{"not a number", "Tcp: OutSegs RetransSegs\nTcp: -5 x\n", 0, 0, false},
	} {
		sent, again, ok := parseSNMP([]byte(c.in))
		if ok != c.ok || ok && (sent != c.sent || again != c.again) {
			t.Errorf("%s: %d %d %v", c.name, sent, again, ok)
		}
	}
}

func TestParseSmallFiles(t *testing.T) {
	if got := parseStatm([]byte("765 441 413 5 0 123 0\n"), 4096); got != 441*4096 {
		t.Error("statm:", got)
	}
	for _, in := range []string{"", "765", "765 x", "1 18446744073709551615"} {
		if got := parseStatm([]byte(in), 4096); got != 0 {
			t.Errorf("statm %q: %d", in, got)
		}
	}
	if got, ok := parseSchedstat([]byte("100 20 3\n")); !ok || got != (turns{100, 20, 3}) {
		t.Error("schedstat:", got, ok)
	}
	for _, in := range []string{"", "1 2", "1 2 x", "1 x 2", "x 1 2"} {
		if got, ok := parseSchedstat([]byte(in)); ok {
			t.Errorf("schedstat %q: %v", in, got)
		}
	}
	for in, want := range map[string]float64{
		"25000\n": 25e9, "10": 10e6, "-1\n": 0, "0": 0, "4294967295": 0, "2147483647": 0, "": 0, "fast": 0,
	} {
		if got := parseSpeed([]byte(in)); got != want {
			t.Errorf("speed %q: %v, want %v", in, got, want)
		}
	}
}

func TestParseCPUMax(t *testing.T) {
	for _, c := range []struct {
		in    string
		cores float64
		ok    bool
	}{
		{"200000 100000\n", 2, true},
		{"50000 100000", 0.5, true},
		{"max 100000\n", 0, false},
		{"100000", 0, false},
		{"100000 0", 0, false},
		{"0 100000", 0, false},
		{"", 0, false},
	} {
		if got, ok := parseCPUMax([]byte(c.in)); ok != c.ok || ok && got != c.cores {
			t.Errorf("%q: %v %v", c.in, got, ok)
		}
	}
}

func TestParseCPUStat(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     throttle
	}{
		{"version 2", "usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 1500\nnr_bursts 0\n", throttle{10, 3, 1500 * time.Microsecond}},
		{"version 1", "nr_periods 10\nnr_throttled 3\nthrottled_time 1500\n", throttle{10, 3, 1500}},
		{"no controller", "usage_usec 5\nuser_usec 3\n", throttle{}},
		{"broken", "nr_periods\nnr_throttled x\nthrottled_usec 1 2\n", throttle{}},
		{"too long", "throttled_usec 18446744073709551615\n", throttle{time: math.MaxInt64}},
	} {
		if got := parseCPUStat([]byte(c.in)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestParseCgroup(t *testing.T) {
	for _, c := range []struct{ name, in, v1, v2 string }{
		{"version 2", "0::/user.slice/a:b\n", "", "/user.slice/a:b"},
		{"version 1", "4:memory:/m\n2:cpu,cpuacct:/docker/x\n1:name=systemd:/s\n", "/docker/x", ""},
		{"both", "9:cpuacct:/no\n1:cpu:/old\n0::/new\n", "/old", "/new"},
		{"broken", "cpu:/x\n0::relative\n\n", "", ""},
	} {
		if v1, v2 := parseCgroup([]byte(c.in)); v1 != c.v1 || v2 != c.v2 {
			t.Errorf("%s: %q %q", c.name, v1, v2)
		}
	}
}

func TestParseMounts(t *testing.T) {
	in := `23 1 0:21 / /proc rw,relatime - proc proc rw
32 31 0:29 /docker/x /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct
30 23 0:26 / /sys/fs/my\040group rw - cgroup2 cgroup2 rw,nsdelegate
30 23 0:26 / rw - cgroup2 cgroup2 rw
30 23 0:26 net:[4026531833] /run/netns rw - nsfs nsfs rw
no separator
`
	want := []mount{
		{"/", "/proc", "proc", "rw"},
		{"/docker/x", "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"},
		{"/", "/sys/fs/my group", "cgroup2", "rw,nsdelegate"},
	}
	if got := parseMounts([]byte(in)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestFilesReadLong(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 10_000) // longer than the first buffer
	f := newTree(t, map[string]string{"proc/long": long, "proc/short": "x"}).files()
	for _, c := range []struct{ name, want string }{{"/proc/long", long}, {"/proc/short", "x"}} {
		if got, err := f.read(c.name); err != nil || string(got) != c.want {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
	if _, err := f.read("/proc/missing"); err == nil {
		t.Error("a missing file was read")
	}
}

func FuzzParsers(f *testing.F) {
	for _, seed := range []string{
		netDev, snmp, "765 441 413", "100 20 3", "200000 100000", "nr_periods 10\nthrottled_usec 1500", "2:cpu:/docker/x\n0::/a",
		`32 31 0:29 /docker/x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu`, "-1", "25000", `\040 - `,
	} {
		f.Add([]byte(seed))
	}
	none := &files{root: f.TempDir()}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name := range parseNetDev(b) {
			if name == "" || strings.TrimSpace(name) != name {
				t.Errorf("interface %q", name)
			}
		}
		parseSNMP(b)
		parseSchedstat(b)
		if n := parseStatm(b, 4096); n < 0 {
			t.Error("memory", n)
		}
		if v := parseSpeed(b); v < 0 || v >= math.MaxInt32*1e6 {
			t.Error("speed", v)
		}
		if n, ok := parseCPUMax(b); ok && (n <= 0 || math.IsInf(n, 0) || math.IsNaN(n)) {
			t.Error("quota", n)
		}
		if s := parseCPUStat(b); s.time < 0 {
			t.Error("throttled", s.time)
		}
		v1, v2 := parseCgroup(b)
		for _, m := range parseMounts(b) {
			for _, group := range []string{v1, v2} {
				dirs := none.levels(m, group)
				if len(dirs) == 0 || dirs[len(dirs)-1] != m.point || slices.Contains(dirs, "") {
					t.Errorf("%+v %q: %q", m, group, dirs)
				}
			}
		}
	})
}
