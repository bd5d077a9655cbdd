package observe

import (
	"strings"
	"testing"
	"time"
)

const us, ms = time.Microsecond, time.Millisecond

// part is an own part of GETs that was measured.
func part(latency, own time.Duration) Share {
	return Share{Of: "GET", Percentile: 99, Latency: latency, Own: own, Measured: true}
}

// crowded is a client whose threads wait 890 µs on average for a CPU that others use.
func crowded() Sample {
	return Sample{CPU: &CPU{Percent: 2, AvailableCores: 2}, CPUWait: &CPUWait{MeanMillis: 0.89, Percent: 97}}
}

func checkOwnPart(t *testing.T, name string, in Sample, shares []Share, want string, cause Cause) {
	t.Helper()
	var own Limit
	for _, l := range (&Summary{Sample: in, Samples: 1}).Limits(shares...) {
		if l.Kind == OwnPart {
			own = l
		}
	}
	if own.Text != want || own.Cause != cause {
		t.Errorf("%s:\ngot  %q, %q\nwant %q, %q", name, own.Text, own.Cause, want, cause)
	}
	if want != "" && (own.Figure <= own.Bound || own.Bound != ownLimit*own.Latency || own.Unit != inMillis) {
		t.Errorf("%s: %+v", name, own)
	}
}

// The client's own part limits what it is more than a tenth of, in an absolute number of milliseconds never.
func TestOwnPartLimits(t *testing.T) {
	const others = ": other programs use this machine's CPUs, and warp's threads waited 890µs on average for a CPU each time they had work"
	slo := part(5*time.Second, 600*ms)
	slo.Objective = true
	nameless := slo
	nameless.Of = ""
	for _, c := range []struct {
		name   string
		shares []Share
		want   string
	}{
		{"no operations", nil, ""},
		{"too few operations", []Share{{}}, ""},
		{"a slow store", []Share{part(400*ms, 12*ms)}, ""},
		{"just a tenth", []Share{part(10*ms, ms)}, ""},
		{
			"a fast store",
			[]Share{part(13200*us, 9700*us)},
			"9.70ms of GET's p99 of 13.2ms are the client's own, more than a tenth" + others,
		},
		{
			"several, one is not",
			[]Share{part(10*ms, 2*ms), {Of: "PUT", Percentile: 90, Latency: 4 * ms, Own: 2 * ms, Measured: true}, part(time.Second, ms)},
			"2.00ms of PUT's p90 of 4.00ms are the client's own, more than a tenth (and likewise for 1 more kind)" + others,
		},
		{
			"an objective that no wait explains",
			[]Share{slo},
			"600ms (p99) of the 5.00s allowed for GET are the client's own, more than a tenth",
		},
		{"an objective of all", []Share{nameless}, "600ms (p99) of the 5.00s allowed are the client's own, more than a tenth"},
		{"an objective that is far away", []Share{{Of: "GET", Percentile: 99, Latency: 5 * time.Second, Objective: true}}, ""},
		{
			"not measured",
			[]Share{{Of: "GET", Percentile: 99, Latency: 20 * ms}},
			"by estimate 14.2ms of GET's p99 of 20.0ms are the client's own, more than a tenth" + others,
		},
		{"not measured, of a slow store", []Share{{Of: "GET", Percentile: 99, Latency: 400 * ms}}, ""},
		{
			"lateness measured only",
			[]Share{{Of: "GET", Percentile: 99, Latency: 20 * ms, Own: 18 * ms}},
			"at least 18.0ms of GET's p99 of 20.0ms are the client's own, more than a tenth" + others,
		},
	} {
		cause := CauseOthers
		switch {
		case c.want == "":
			cause = ""
		case !strings.HasSuffix(c.want, others):
			cause = CauseUnknown
		}
		checkOwnPart(t, c.name, crowded(), c.shares, c.want, cause)
	}
	idle := Sample{CPUWait: &CPUWait{MeanMillis: 0.89, Percent: 20}}
	checkOwnPart(t, "not measured, threads seldom wait", idle, []Share{{Of: "GET", Percentile: 99, Latency: 20 * ms}}, "", "")
}

// A cause explains a quarter of the own part, at its percentile; else the own part is all that is said.
func TestCauses(t *testing.T) {
	const said = " are the client's own, more than a tenth"
	share := func(own time.Duration, percentile float64) Share {
		return Share{Percentile: percentile, Latency: 10 * ms, Own: own, Measured: true}
	}
	stall := func(seconds float64) Sample {
		return Sample{Stalls: &Stalls{Count: 2, Seconds: 90, Longest: Stall{Start: time.Unix(0, 0), Seconds: seconds}}}
	}
	throttled := func(seconds float64) Sample {
		return Sample{Cgroup: &Cgroup{QuotaCores: 2, Periods: 600, ThrottledPeriods: 37, ThrottledSeconds: seconds}}
	}
	late := func(p50, p99 float64) Sample {
		return Sample{Lateness: &Lateness{Events: 5000, P50Millis: p50, P99Millis: p99}}
	}
	wait := func(mean, percent, cpu float64) Sample {
		return Sample{CPU: &CPU{Percent: cpu, AvailableCores: 2}, CPUWait: &CPUWait{MeanMillis: mean, Percent: percent}}
	}
	embedded, local, remote := wait(0.8, 97, 5), wait(0.8, 97, 5), wait(0.8, 97, 5)
	short := wait(0.03, 97, 5)
	embedded.Embedded, short.Embedded = true, true
	local.Network = &Network{SentBytes: 5, ReceivedBytes: 7, LoopbackBytes: 8}
	remote.Network = &Network{SentBytes: 5, ReceivedBytes: 9, LoopbackBytes: 8}
	for _, c := range []struct {
		name  string
		in    Sample
		share Share
		cause Cause
		part  string // of what is said
	}{
		{"nothing known", Sample{}, share(2*ms, 50), CauseUnknown, ""},
		{"a stall", stall(1), share(4*ms, 99), CauseStall, "the client process did not run for"},
		{"a stall that is too short", stall(0.9e-3), share(4*ms, 99), CauseUnknown, ""},
		{"a quota", throttled(0.037), share(4*ms, 99), CauseThrottled, "quota of 2 cores stopped warp in 37 of 600 periods"},
		{"a quota, for too short", throttled(0.036), share(4*ms, 99), CauseUnknown, ""},
		{"all CPUs", wait(0.8, 97, 86), share(2*ms, 50), CauseOwnCPU, "warp needs all CPUs of this machine, and its threads waited 800µs"},
		{"others", remote, share(2*ms, 50), CauseOthers, "other programs use this machine's CPUs, and warp's threads waited 800µs"},
		{"its own server", embedded, share(2*ms, 50), CauseServer, "with its embedded server, and with any other programs, and its threads"},
		{"a server on the machine", local, share(2*ms, 50), CauseServer, "with the server, and with any other programs, and its threads"},
		{"waits are rare", wait(0.8, 25, 5), share(2*ms, 50), CauseUnknown, ""},
		{"waits, median", wait(0.73, 97, 5), share(2*ms, 50), CauseOthers, "waited 730µs"},
		{"waits that are too short, median", wait(0.72, 97, 5), share(2*ms, 50), CauseUnknown, ""},
		{"waits, 90 %", wait(0.22, 97, 5), share(2*ms, 90), CauseOthers, "waited 220µs"},
		{"waits that are too short, 90 %", wait(0.21, 97, 5), share(2*ms, 90), CauseUnknown, ""},
		{"waits, 99 %", wait(0.032, 97, 5), share(2*ms, 99), CauseOthers, "waited 32.0µs"},
		{"waits that are too short, 99 %", wait(0.031, 97, 5), share(2*ms, 99), CauseUnknown, ""},
		{"short waits next to its own server", short, share(2*ms, 50), CauseUnknown, ""},
		{"goroutines", late(0.1, 0.5), share(2*ms, 99), CauseGoroutines, "goroutines waited long for a thread, lateness p99 500µs (use"},
		{"goroutines that are punctual", late(0.1, 0.49), share(2*ms, 99), CauseUnknown, ""},
		{"goroutines, a hundredth of them late, explain no median", late(0.1, 1.9), share(2*ms, 50), CauseUnknown, ""},
		{"late goroutines, median", late(0.5, 1.9), share(2*ms, 50), CauseGoroutines, "goroutines waited long"},
		{"garbage", Sample{Seconds: 1, GC: &GC{Cycles: 50, PauseMillis: 20, MaxPauseMillis: 0.5}}, share(2*ms, 99), CauseGC, "the garbage collector stopped warp for up to 500µs"},
		{"a pause or two", Sample{Seconds: 100, GC: &GC{Cycles: 2, PauseMillis: 1, MaxPauseMillis: 0.5}}, share(2*ms, 99), CauseUnknown, ""},
		{"short pauses", Sample{GC: &GC{MaxPauseMillis: 0.49}}, share(2*ms, 99), CauseUnknown, ""},
	} {
		l, limited := (&Summary{Sample: c.in, Samples: 1}).ownPart([]Share{c.share})
		own, why, _ := strings.Cut(l.Text, ": ")
		if !limited || l.Cause != c.cause || !strings.Contains(own, said) || !strings.Contains(why, c.part) || (why == "") != (c.part == "") {
			t.Errorf("%s: %q, because of %q; want %q, %q", c.name, l.Text, l.Cause, c.part, c.cause)
		}
	}
}
