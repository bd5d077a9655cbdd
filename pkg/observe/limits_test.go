package observe

import (
	"slices"
	"strings"
	"testing"
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
