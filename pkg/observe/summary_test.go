package observe

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// full has every part; k makes it larger.
func full(i int, k float64) Sample {
	n := int64(k)
	gc := GC{Cycles: n, PauseMillis: k, MaxPauseMillis: k, CPUPercent: k}
	return Sample{
		Start: begin.Add(time.Duration(i) * time.Second), Seconds: 1, Goroutines: n,
		CPU: &CPU{
			UserSeconds: k, SystemSeconds: k, Cores: 2 * k, AvailableCores: 8, Percent: 25 * k, MaxPercent: 25 * k,
			Switches: &Switches{n, n},
		},
		Cgroup:   &Cgroup{QuotaCores: 4, QuotaPercent: 50 * k, MaxQuotaPercent: 50 * k, Periods: 10, ThrottledPeriods: n, ThrottledSeconds: k},
		CPUWait:  &CPUWait{RunSeconds: k, WaitSeconds: k, Turns: 1000, MeanMillis: k, Percent: 50},
		GC:       &gc,
		Memory:   &Memory{HeapBytes: n, ResidentBytes: n},
		Network:  &Network{SentBytes: 1000 * n, ReceivedBytes: n, LoopbackBytes: n, Interfaces: []Interface{nic0(n, k)}},
		TCP:      &TCP{SentSegments: 99 * n, RetransmittedSegments: n, RetransmittedPercent: 1},
		Lateness: new(latencies).since(histogram(1000*uint64(n), 0, uint64(n), 0, 0)),
	}
}

func nic0(n int64, k float64) Interface {
	return Interface{Name: "eth0", SentBytes: 1000 * n, ReceivedBytes: n, Link: &Link{BitsPerSecond: 80_000, Percent: 10 * k, MaxPercent: 10 * k}}
}

func TestMerge(t *testing.T) {
	a, b := full(0, 1), full(1, 3)
	got := a.merge(b)
	want := full(0, 4)
	want.Seconds, want.Goroutines = 2, 3
	want.CPU.Cores, want.CPU.Percent, want.CPU.MaxPercent = 4, 50, 75
	want.Cgroup.QuotaPercent, want.Cgroup.MaxQuotaPercent, want.Cgroup.Periods = 100, 150, 20
	want.CPUWait.Turns, want.CPUWait.MeanMillis = 2000, 2
	want.GC.MaxPauseMillis, want.GC.CPUPercent = 3, 2
	*want.Memory = Memory{3, 3}
	want.Network.Interfaces[0].Link.Percent, want.Network.Interfaces[0].Link.MaxPercent = 20, 30
	if !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		w, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("got %s\nwant %s", g, w)
	}
	if !reflect.DeepEqual(a, full(0, 1)) || !reflect.DeepEqual(b, full(1, 3)) {
		t.Error("merge changed what it was given")
	}
}

// An interface that was idle for a part of the time could have carried more.
func TestMergeIdleInterface(t *testing.T) {
	busy, idle := full(0, 8), full(1, 1)
	idle.Network = &Network{}
	for _, got := range []Sample{busy.merge(idle), idle.merge(busy)} {
		if link := got.Network.Interfaces[0].Link; link.Percent != 40 || link.MaxPercent != 80 {
			t.Errorf("got %+v", link)
		}
	}
	if link := busy.Network.Interfaces[0].Link; link.Percent != 80 {
		t.Errorf("merge changed what it was given: %+v", link)
	}
}

func TestMergeAbsent(t *testing.T) {
	some, none := full(0, 2), Sample{Start: begin.Add(time.Second), Seconds: 1}
	got := some.merge(none)
	if got.TCP != some.TCP || got.Cgroup != some.Cgroup || got.Seconds != 2 {
		t.Errorf("got %+v", got)
	}
	if got = none.merge(none); got.CPU != nil || got.Lateness != nil || got.Network != nil {
		t.Errorf("out of nothing: %+v", got)
	}
}

func TestSummarize(t *testing.T) {
	samples := []Sample{second(0), second(1), second(2), second(3)}
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	for _, c := range []struct {
		name     string
		from, to time.Time
		samples  int
		segments int64
	}{
		{"all", time.Time{}, time.Time{}, 4, 6},
		{"from the start to the end", at(0), at(4), 4, 6},
		{"middles", at(0.6), at(2.6), 2, 3},
		{"from", at(1.4), time.Time{}, 3, 6},
		{"to", time.Time{}, at(1.4), 1, 0},
		{"shorter than one", at(2.6), at(2.7), 1, 2},
		{"on the edge of two", at(1.9), at(2.1), 2, 3},
		{"after", at(9), at(10), 0, 0},
		{"before", at(-2), at(0), 0, 0},
	} {
		got := Summarize(samples, c.from, c.to)
		var segments int64
		if got.TCP != nil {
			segments = got.TCP.SentSegments
		}
		if got.Samples != c.samples || segments != c.segments {
			t.Errorf("%s: %d samples with %d segments, want %d with %d", c.name, got.Samples, segments, c.samples, c.segments)
		}
	}
	if got := Summarize(nil, time.Time{}, time.Time{}); got.Samples != 0 || got.Line() != "" || got.Limits() != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"nothing known", Sample{Start: begin, Seconds: 1, Goroutines: 3}, `{"start":"2026-01-02T03:04:05Z","duration_s":1,"goroutines":3}`},
		{
			"no switches, no RSS",
			Sample{Start: begin, Seconds: 1, CPU: &CPU{}, Memory: &Memory{HeapBytes: 5}},
			`{"start":"2026-01-02T03:04:05Z","duration_s":1,"cpu":{"user_s":0,"system_s":0,"cores":0,"available_cores":0,"percent":0,"max_percent":0},"memory":{"heap_bytes":5},"goroutines":0}`,
		},
		{"network", nic0(1, 1), `{"name":"eth0","sent_bytes":1000,"received_bytes":1,"link":{"bits_per_sec":80000,"percent":10,"max_percent":10}}`},
		{
			"summary",
			Summary{Sample: second(2), Samples: 1},
			`{"start":"2026-01-02T03:04:07Z","duration_s":1,"tcp":{"sent_segments":2,"retransmitted_segments":0,"retransmitted_percent":0},"goroutines":2,"samples":1}`,
		},
		{"few events", full(0, 1).Lateness, `{"events":1001,"late_events":1,"p50_ms":0.1,"p99_ms":0.1,"max_ms":2}`},
		{"too few events", new(latencies).since(histogram(5, 0, 0, 0, 0)), `{"events":5,"late_events":0,"p50_ms":0.1,"max_ms":0.1}`},
	} {
		got, err := json.Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.name, err, got, c.want)
		}
	}
}

// A summary that came over the network or out of a report says the same.
func TestJSONKeepsLimits(t *testing.T) {
	s := Summary{Sample: full(0, 10), Samples: 1}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Summary
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if len(s.Limits()) == 0 || !reflect.DeepEqual(s.Limits(), back.Limits()) || s.Line() != back.Line() {
		t.Errorf("%q\n%q\n%s\n%s", s.Limits(), back.Limits(), s.Line(), back.Line())
	}
}
