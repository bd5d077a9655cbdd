package observe

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestObserverOverAFakeSystem(t *testing.T) {
	tr := newTree(t, map[string]string{
		"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountsV2,
		"sys/fs/cgroup/cpu.max":          "200000 100000\n",
		"sys/fs/cgroup/cpu.stat":         "nr_periods 10\nnr_throttled 1\nthrottled_usec 0\n",
		"proc/self/net/dev":              device("eth0", "0", "0"),
		"proc/self/net/snmp":             "Tcp: OutSegs RetransSegs\nTcp: 0 0\n",
		"proc/self/statm":                "10 7 3\n",
		"sys/class/net/eth0/device/type": "", "sys/class/net/eth0/speed": "1000\n",
	})
	synctest.Test(t, func(t *testing.T) {
		b := Start(Options{Root: tr.root})
		defer b.Stop()
		if s := b.Samples(); len(s) > 0 {
			t.Errorf("a sample before the first second: %+v", s)
		}
		begin := time.Now()
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		tr.write("sys/fs/cgroup/cpu.stat", "nr_periods 20\nnr_throttled 6\nthrottled_usec 900000\n")
		tr.write("proc/self/net/dev", device("eth0", "120000000", "0"))
		tr.write("proc/self/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 150 50\n")
		time.Sleep(time.Second)
		synctest.Wait()

		samples := b.Samples()
		if len(samples) != 2 || samples[0].Seconds != 1 || !samples[1].Start.Equal(samples[0].End()) {
			t.Fatalf("got %+v", samples)
		}
		if c := samples[0].Cgroup; c == nil || c.QuotaCores != 2 || c.ThrottledPeriods != 0 {
			t.Errorf("first second: %+v", c)
		}
		if m := samples[1].Memory; m == nil || m.ResidentBytes == 0 || m.HeapBytes == 0 || samples[1].Goroutines == 0 {
			t.Errorf("memory: %+v", m)
		}
		if latest := samples[1]; latest.TCP.RetransmittedPercent != 25 || latest.Network.Interfaces[0].Link.Percent != 96 {
			t.Errorf("latest: %+v", latest)
		}
		second := b.Summary(begin.Add(time.Second), begin.Add(2*time.Second))
		if second.Samples != 1 || !limited(second, "in 5 of 10 periods") || !limited(second, "eth0 at 96%") {
			t.Errorf("%d samples: %q", second.Samples, second.Limits())
		}
		if first := b.Summary(begin, begin.Add(time.Second)); first.Samples != 1 || limited(first, "periods") || limited(first, "eth0") {
			t.Errorf("%d samples: %q", first.Samples, first.Limits())
		}
		if all := b.Summary(time.Time{}, time.Time{}); all.Samples != 2 || limited(all, "eth0") {
			t.Errorf("%d samples: %q", all.Samples, all.Limits())
		}
	})
}

// The last piece counts only if it is long enough to tell something, or all there is.
func TestStopTakesALastSample(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  int
	}{
		{0, 0},
		{100 * time.Millisecond, 1},
		{1400 * time.Millisecond, 1},
		{1600 * time.Millisecond, 2},
		{2100 * time.Millisecond, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := Start(Options{Root: t.TempDir()})
			time.Sleep(c.after)
			synctest.Wait()
			b.Stop()
			b.Stop()
			if got := len(b.Samples()); got != c.want {
				t.Errorf("stopped after %v: %d samples, want %d", c.after, got, c.want)
			}
		})
	}
}

// Work that is known to have taken processor time is seen.
func TestObserverSeesWork(t *testing.T) {
	before, ok := processUsage()
	if !ok {
		t.Skip("the system does not tell processor time")
	}
	b := Start(Options{Interval: 10 * time.Millisecond})
	garbage := make([][]byte, runtime.GOMAXPROCS(0))
	const work = 300 * time.Millisecond
	var all sync.WaitGroup
	for i := range garbage {
		all.Go(func() {
			for {
				garbage[i] = make([]byte, 64<<10)
				now, _ := processUsage()
				if now.user+now.system-before.user-before.system > work {
					return
				}
			}
		})
	}
	all.Wait()
	runtime.GC()
	time.Sleep(20 * time.Millisecond) // a sample after the work
	b.Stop()
	s := b.Summary(time.Time{}, time.Time{})
	cpu := s.CPU
	if cpu == nil || s.Samples < 2 {
		t.Fatalf("got %+v", s)
	}
	if seconds := cpu.UserSeconds + cpu.SystemSeconds; seconds < work.Seconds()/2 || cpu.Cores > 2*float64(runtime.NumCPU()) {
		t.Errorf("got %+v for more than %v of processor time", cpu, work)
	}
	if cpu.Percent <= 0 || cpu.MaxPercent < cpu.Percent || cpu.AvailableCores <= 0 {
		t.Errorf("shares: %+v", cpu)
	}
	if s.GC == nil || s.GC.Cycles == 0 || s.GC.PauseMillis <= 0 || s.GC.MaxPauseMillis > s.GC.PauseMillis {
		t.Errorf("garbage collection: %+v", s.GC)
	}
	if s.Lateness == nil || s.Lateness.Events == 0 {
		t.Errorf("lateness: %+v", s.Lateness)
	}
	if runtime.GOOS == "linux" {
		if s.Network == nil || s.TCP == nil || s.Memory.ResidentBytes == 0 || cpu.Switches == nil {
			t.Errorf("missing on Linux: %+v", s)
		}
	}
	t.Log(s.Line())
	t.Logf("%+v", s.CPUWait)
}

func TestObserverFromSeveralGoroutines(t *testing.T) {
	b := Start(Options{Interval: time.Millisecond})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				b.Samples()
				_ = b.Summary(time.Time{}, time.Time{}).Line()
			}
			b.Stop()
		})
	}
	all.Wait()
}

// BenchmarkSample is what one second costs.
func BenchmarkSample(b *testing.B) {
	o := Start(Options{Interval: time.Hour})
	defer o.Stop()
	b.ReportAllocs()
	for b.Loop() {
		o.sample() // nothing else samples: the hour is longer
	}
}

func BenchmarkSummary(b *testing.B) {
	var s series
	for i := range seriesLimit - 1 {
		s.add(full(i, 1))
	}
	b.ReportAllocs()
	for b.Loop() {
		Summarize(s.all(), time.Time{}, time.Time{})
	}
}
