package observe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// limited reports whether a limit of a summary has a text in it.
func limited(s Summary, part string) bool {
	return slices.ContainsFunc(s.Limits(), func(l Limit) bool { return strings.Contains(l.Text, part) })
}

func TestLimits(t *testing.T) {
	link := func(p float64) *Network {
		return &Network{Interfaces: []Interface{{Name: "eth1"}, {Name: "eth0", Link: &Link{BitsPerSecond: 25e9, Percent: p, MaxPercent: 100}}}}
	}
	for _, c := range []struct {
		name string
		in   Sample
		want string // the only one
	}{
		{"nothing known", Sample{}, ""},
		{"CPU at the limit", Sample{CPU: &CPU{Percent: 85, AvailableCores: 8, MaxPercent: 100}}, ""},
		{"CPU", Sample{CPU: &CPU{Percent: 93.2, AvailableCores: 8}}, "CPU at 93% of 8 cores: use more clients, or a client with more CPU"},
		{"one core", Sample{CPU: &CPU{Percent: 99, AvailableCores: 1}}, "CPU at 99% of 1 core: use more clients, or a client with more CPU"},
		{"quota at the limit", Sample{Cgroup: &Cgroup{QuotaCores: 2, QuotaPercent: 85, Periods: 10}}, ""},
		{
			"quota",
			Sample{Cgroup: &Cgroup{QuotaCores: 1.5, QuotaPercent: 90, Periods: 10}},
			"CPU at 90% of the cgroup's quota of 1.5 cores: raise the quota, or use more clients",
		},
		{
			"throttled",
			Sample{Cgroup: &Cgroup{QuotaCores: 2, QuotaPercent: 30, Periods: 600, ThrottledPeriods: 37, ThrottledSeconds: 1.2}},
			"throttled by the cgroup's CPU quota of 2 cores in 37 of 600 periods: raise the quota, or use more clients",
		},
		{"seldom throttled", Sample{Cgroup: &Cgroup{QuotaCores: 2, QuotaPercent: 30, Periods: 600, ThrottledPeriods: 6}}, ""},
		{"waits by themselves", Sample{CPUWait: &CPUWait{WaitSeconds: 9, MeanMillis: 0.9, Percent: 97}}, ""},
		{"lateness by itself", Sample{Lateness: &Lateness{Events: 1000, LateEvents: 110, P99Millis: 18}}, ""},
		{"link at the limit", Sample{Network: link(90)}, ""},
		{"link", Sample{Network: link(92.4)}, "network interface eth0 at 92% of 25 Gbit/s: use more clients, or a faster network"},
	} {
		list := (&Summary{Sample: c.in, Samples: 1}).Limits()
		if got := First(list); got != c.want || len(list) > 1 {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, list, c.want)
		}
	}
}

// The client's own part limits what it is more than a tenth of, in an absolute number of milliseconds never.
func TestOwnPartLimits(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	measured := func(latency, own time.Duration) Share {
		return Share{Of: "GET", Percentile: 99, Latency: latency, Own: own, Measured: true}
	}
	busy := Sample{CPU: &CPU{Percent: 2, AvailableCores: 2}, CPUWait: &CPUWait{MeanMillis: 0.89, Percent: 97}}
	slo := measured(5*time.Second, 600*ms)
	slo.Objective = true
	for _, c := range []struct {
		name   string
		in     Sample
		shares []Share
		want   string
		cause  Cause
	}{
		{"no operations", busy, nil, "", ""},
		{"too few operations", busy, []Share{{}}, "", ""},
		{"a slow store on a busy machine", busy, []Share{measured(400*ms, 12*ms)}, "", ""},
		{"just a tenth", busy, []Share{measured(10*ms, ms)}, "", ""},
		{
			"a fast store on a busy machine", busy,
			[]Share{measured(13200*us, 9700*us)},
			"other programs use this machine's CPUs: warp's threads waited 890µs on average for one. The client's own part of GET's latency is 9.70ms at 99%, more than a tenth of the 13.2ms reported",
			CauseOthers,
		},
		{
			"several, of which one is not", busy,
			[]Share{measured(10*ms, 2*ms), {Of: "PUT", Percentile: 90, Latency: 4 * ms, Own: 2 * ms, Measured: true}, measured(time.Second, ms)},
			"other programs use this machine's CPUs: warp's threads waited 890µs on average for one. The client's own part of PUT's latency is 2.00ms at 90%, more than a tenth of the 4.00ms reported (and likewise for 1 more kind)",
			CauseOthers,
		},
		{
			"an objective", busy,
			[]Share{slo},
			"other programs use this machine's CPUs: warp's threads waited 890µs on average for one. The client's own part of GET's latency is 600ms at 99%, more than a tenth of the 5.00s allowed",
			CauseOthers,
		},
		{"an objective that is far away", busy, []Share{{Of: "GET", Percentile: 99, Latency: 5 * time.Second, Objective: true}}, "", ""},
		{
			"not measured", busy,
			[]Share{{Of: "GET", Percentile: 99, Latency: 20 * ms}},
			"other programs use this machine's CPUs: warp's threads waited 890µs on average for one. The client's own part of GET's latency is by estimate 14.2ms at 99%, more than a tenth of the 20.0ms reported",
			CauseOthers,
		},
		{"not measured, of a slow store", busy, []Share{{Of: "GET", Percentile: 99, Latency: 400 * ms}}, "", ""},
		{"not measured, threads seldom wait", Sample{CPUWait: &CPUWait{MeanMillis: 0.89, Percent: 20}}, []Share{{Of: "GET", Percentile: 99, Latency: 20 * ms}}, "", ""},
		{
			"lateness measured only", busy,
			[]Share{{Of: "GET", Percentile: 99, Latency: 20 * ms, Own: 18 * ms}},
			"other programs use this machine's CPUs: warp's threads waited 890µs on average for one. The client's own part of GET's latency is at least 18.0ms at 99%, more than a tenth of the 20.0ms reported",
			CauseOthers,
		},
		{
			"its own threads",
			Sample{CPU: &CPU{Percent: 86, AvailableCores: 2}, CPUWait: busy.CPUWait},
			[]Share{measured(10*ms, 2*ms)},
			"warp needs all CPUs of this machine: its threads waited 890µs on average for one. The client's own part of GET's latency is 2.00ms at 99%, more than a tenth of the 10.0ms reported",
			CauseOwnCPU,
		},
		{
			"goroutines",
			Sample{Lateness: &Lateness{Events: 5000, P50Millis: 0.1, P99Millis: 1.84}},
			[]Share{measured(10*ms, 2*ms)},
			"goroutines waited long for a thread: lateness p99 1.84ms (use more clients with fewer threads each). The client's own part of GET's latency is 2.00ms at 99%, more than a tenth of the 10.0ms reported",
			CauseGoroutines,
		},
		{
			"garbage",
			Sample{GC: &GC{MaxPauseMillis: 1}},
			[]Share{measured(10*ms, 2*ms)},
			"the garbage collector stopped warp for up to 1.00ms. The client's own part of GET's latency is 2.00ms at 99%, more than a tenth of the 10.0ms reported",
			CauseGC,
		},
		{
			"nothing explains it",
			Sample{},
			[]Share{{Percentile: 50, Latency: 10 * ms, Own: 2 * ms, Measured: true}},
			"warp was late to send requests or to read responses, and the system does not say why. The client's own part of latency is 2.00ms at 50%, more than a tenth of the 10.0ms reported",
			CauseUnknown,
		},
	} {
		var own Limit
		for _, l := range (&Summary{Sample: c.in, Samples: 1}).Limits(c.shares...) {
			if l.Kind == OwnPart {
				own = l
			}
		}
		if own.Text != c.want || own.Cause != c.cause {
			t.Errorf("%s:\ngot  %q, %q\nwant %q, %q", c.name, own.Text, own.Cause, c.want, c.cause)
		}
		if c.want != "" && (own.Figure <= own.Bound || own.Bound != ownLimit*own.Latency || own.Unit != inMillis) {
			t.Errorf("%s: %+v", c.name, own)
		}
	}
}

func TestLine(t *testing.T) {
	cpu := &CPU{Percent: 34, MaxPercent: 51, AvailableCores: 8}
	for _, c := range []struct {
		name string
		in   Sample
		want string
	}{
		{"nothing known", Sample{}, ""},
		{"all", Sample{
			Seconds: 2, CPU: cpu, GC: &GC{PauseMillis: 1.23}, TCP: &TCP{SentSegments: 9},
			Network: &Network{SentBytes: 1_275_000_000, Interfaces: []Interface{
				{Name: "eth0", SentBytes: 1_275_000_000, Link: &Link{BitsPerSecond: 25e9}},
			}},
			Lateness: &Lateness{P99Millis: 0.08},
		}, "Client: CPU 34% of 8 cores (max 51%), GC pauses 1.23ms, network 5.1 Gbit/s of 25 Gbit/s, 0 retransmissions, lateness p99 80.0µs"},
		{"only CPU", Sample{CPU: cpu}, "Client: CPU 34% of 8 cores (max 51%)"},
		{
			"quota",
			Sample{CPU: cpu, Cgroup: &Cgroup{QuotaPercent: 80.4, QuotaCores: 3.5, Periods: 600, ThrottledPeriods: 12}},
			"Client: CPU 34% of 8 cores (max 51%), 80% of the quota of 3.5 cores, throttled in 12 of 600 periods",
		},
		{"not throttled", Sample{Cgroup: &Cgroup{QuotaPercent: 10, QuotaCores: 1, Periods: 600}}, "Client: 10% of the quota of 1 core"},
		{"loopback", Sample{Seconds: 1, Network: &Network{SentBytes: 100, LoopbackBytes: 125_000_000}}, "Client: loopback 1 Gbit/s"},
		{
			"speed not known",
			Sample{Seconds: 1, Network: &Network{SentBytes: 1000, ReceivedBytes: 1250, Interfaces: []Interface{{Name: "eth0"}}}},
			"Client: network 10 kbit/s",
		},
		{
			"two interfaces",
			Sample{Seconds: 1, Network: &Network{Interfaces: []Interface{
				{Name: "eth1", ReceivedBytes: 124_960_000, Link: &Link{BitsPerSecond: 100e9}}, {Name: "eth0"},
			}}},
			"Client: network 1 Gbit/s of 100 Gbit/s on eth1",
		},
		{"one again", Sample{TCP: &TCP{SentSegments: 10, RetransmittedSegments: 1, RetransmittedPercent: 9}}, "Client: 1 retransmission"},
		{"few again", Sample{TCP: &TCP{RetransmittedSegments: 3, RetransmittedPercent: 0.001}}, "Client: 3 retransmissions"},
		{"many again", Sample{TCP: &TCP{RetransmittedSegments: 300, RetransmittedPercent: 1.254}}, "Client: 300 retransmissions (1.25%)"},
		{"few events", Sample{Lateness: &Lateness{Events: 5, MaxMillis: 0.0001}}, "Client: lateness max 100ns"},
	} {
		if got := (Summary{Sample: c.in, Samples: 1}).Line(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
