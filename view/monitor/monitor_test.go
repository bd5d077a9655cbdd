package monitor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/view/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var began = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// perform writes operations of a second, each of a millisecond, to live statistics.
func perform(live *live.State, phase string, kind op.Kind, second, n, failed int) {
	ops := make([]op.Op, n)
	for i := range ops {
		start := began.Add(time.Duration(second)*time.Second + time.Duration(i)*time.Millisecond)
		ops[i] = op.Op{Kind: kind, Phase: phase, Client: "a", Start: start, End: start.Add(time.Millisecond), Bytes: 4096, Objects: 1, Status: 200, Endpoint: "http://h:1"}
		if i < failed {
			ops[i].Err, ops[i].Status, ops[i].Bytes = "503 SlowDown: x", 503, 0
		}
	}
	_ = live.Write(ops)
}

// shown is what a page gets.
type shown struct {
	Report struct {
		Command    string   `json:"command"`
		Incomplete []string `json:"incomplete"`
		Operations []struct {
			Op       string `json:"op"`
			Requests int64  `json:"requests"`
			Errors   int64  `json:"errors"`
		} `json:"operations"`
	} `json:"report"`
	Charts []struct {
		Op   string    `json:"op"`
		Step float64   `json:"step_s"`
		Ops  []float64 `json:"ops"`
		P50  []float64 `json:"p50"`
	} `json:"charts"`
	Live page.Live `json:"live"`
}

func show(t *testing.T, m *Monitor) (d shown) {
	t.Helper()
	text, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(text), "\n<>") {
		t.Errorf("the data is not one line without markup: %.300s", text)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// still is a monitor without a clock of its own.
func still(t *testing.T) *Monitor {
	t.Helper()
	m := Start(nil)
	m.Close()
	return m
}

// counts returns the counts of all phases, as Stage has them.
func counts(l *live.State) func() []live.Count {
	return func() []live.Count { return l.Counts() }
}

// TestFollows: what reaches the live statistics between two samples is a column of the charts.
func TestFollows(t *testing.T) {
	m := still(t)
	if d := show(t, m); d.Live.State != page.Starting || len(d.Report.Operations) != 0 {
		t.Errorf("before the run: %+v", d)
	}
	live := live.New(aggregate.Options{})
	live.CountMore()
	stops := 0
	m.Begin(Run{Document: report.Document{Command: "get", WarpVersion: "x"}, Phases: []string{"a", "b"}, Stop: func() { stops++ }})
	m.Stage(Stage{Title: "Benchmarking get", Phase: 0, Measures: true, Start: began, Recent: live.Recent, Counts: counts(live)})
	for second := range 5 {
		perform(live, "a", op.Get, second, 100*(second+1), second)
		m.sample(began.Add(time.Duration(second+1) * time.Second))
	}
	m.Message("look <here>")
	d := show(t, m)
	if d.Live.State != page.Running || d.Live.Stage != "Benchmarking get" || !d.Live.Stop || len(d.Live.Messages) != 1 || d.Live.Messages[0].Text != "look <here>" {
		t.Errorf("live: %+v", d.Live)
	}
	if len(d.Report.Operations) != 1 || d.Report.Operations[0].Requests != 1500 || d.Report.Operations[0].Errors != 10 || len(d.Report.Incomplete) != 1 || d.Report.Command != "get" {
		t.Errorf("report: %+v", d.Report)
	}
	// The first second began somewhere between two samples.
	if len(d.Charts) != 1 || d.Charts[0].Step != 1 || len(d.Charts[0].Ops) != 4 || d.Charts[0].Ops[0] != 199 || d.Charts[0].Ops[3] != 496 || len(d.Charts[0].P50) != 4 {
		t.Errorf("charts: %+v", d.Charts)
	}
	if !m.Stop() || stops != 1 {
		t.Errorf("stopped %d times", stops)
	}
	m.Stopping()
	if d := show(t, m); d.Live.State != page.Stopping {
		t.Errorf("stopping: %+v", d.Live)
	}
	final := report.Document{Command: "get", Snapshot: live.Overall()}
	m.Report(page.Run{Document: final})
	if d := show(t, m); d.Live.State != page.Reported || d.Live.Stop || len(d.Report.Incomplete) != 0 {
		t.Errorf("reported: %+v", d)
	}
	m.End()
	if d := show(t, m); d.Live.State != page.Over {
		t.Errorf("over: %+v", d.Live)
	}
	if m.Stop() || stops != 1 {
		t.Errorf("stopped %d times, after the end", stops)
	}
	var json bytes.Buffer
	if err := m.WriteJSON(&json); err != nil || !strings.Contains(json.String(), `"requests": 1500`) {
		t.Errorf("JSON: %v, %s", err, &json)
	}
}

// TestTotalsOfSeveralRuns: totals for metrics never fall, whatever run and phase there is; preparation and warm-up are apart.
func TestTotalsOfSeveralRuns(t *testing.T) {
	m := still(t)
	at := began
	for run := range int64(3) {
		live := live.New(aggregate.Options{})
		live.CountMore()
		m.Begin(Run{Document: report.Document{Command: "mixed"}, Phases: []string{"a", "b"}})
		for i, phase := range []string{op.PhasePrepare, op.PhaseWarmup, "a", "b"} {
			m.Stage(Stage{Title: phase, Counts: counts(live), Recent: live.Recent})
			perform(live, phase, op.Put, i, 10, 1)
			perform(live, phase, op.Get, i, 20, 2)
			at = at.Add(time.Second)
			m.sample(at)
			_ = m.Figures() // a scrape in between changes nothing
		}
		perform(live, "b", op.Get, 5, 7, 0) // after the last sample
		if run == 1 {
			m.Report(page.Run{Document: report.Document{Snapshot: live.Overall()}})
		}
		m.End()
		got := make(map[string]int64)
		for _, c := range m.Figures().Counts {
			got[c.Phase+" "+string(c.Kind)] = c.Requests
			if want := c.Requests - c.Errors; c.Latency.Count() != want || c.Responses[0].Ops+c.Responses[1].Ops != c.Requests {
				t.Errorf("run %d: %s: %d latencies, want %d; responses %v", run, c.Kind, c.Latency.Count(), want, c.Responses)
			}
		}
		n := run + 1
		for name, want := range map[string]int64{"prepare PUT": 10 * n, "warmup GET": 20 * n, " PUT": 20 * n, " GET": 47 * n} {
			if got[name] != want {
				t.Errorf("run %d: %s: %d, want %d", run, name, got[name], want)
			}
		}
		if len(got) != 6 {
			t.Errorf("run %d: %v", run, got)
		}
	}
}

// TestLimitOfTheLastSeconds: whether the client is the limit depends on its own part of the latency, not on waits by themselves.
func TestLimitOfTheLastSeconds(t *testing.T) {
	for unread, want := range map[time.Duration]bool{50 * time.Microsecond: false, 500 * time.Microsecond: true} {
		m := still(t)
		live := live.New(aggregate.Options{})
		now := clock.Now().Truncate(time.Second)
		m.Begin(Run{Samples: func() []observe.Sample {
			return []observe.Sample{{Start: now, Seconds: 1, CPUWait: &observe.CPUWait{MeanMillis: 0.9, Percent: 95}}}
		}})
		m.Stage(Stage{Title: "x", Counts: counts(live), Recent: live.Recent})
		ops := make([]op.Op, 2000)
		for i := range ops {
			start := now.Add(time.Duration(i) * time.Microsecond)
			ops[i] = op.Op{Kind: op.Get, Start: start, End: start.Add(time.Millisecond), Objects: 1}
			ops[i].Arrived = ops[i].End.Add(-unread)
		}
		_ = live.Write(ops)
		d, f := show(t, m), m.Figures()
		if (d.Live.Limit != "") != want || f.Limited != want || want && !strings.Contains(d.Live.Limit, "GET's p99 of") {
			t.Errorf("unread for %v: %q, %v", unread, d.Live.Limit, f.Limited)
		}
	}
}

// TestInFlight: the average of a second follows from how long its operations took.
func TestInFlight(t *testing.T) {
	m := still(t)
	live := live.New(aggregate.Options{})
	live.CountMore()
	m.Begin(Run{})
	m.Stage(Stage{Title: "x", Counts: counts(live)})
	perform(live, "", op.Get, 0, 500, 0)
	m.sample(began.Add(time.Second))
	perform(live, "", op.Get, 1, 2500, 10)
	m.sample(began.Add(2 * time.Second))
	if f := m.Figures(); f.InFlight != 2.5 {
		t.Errorf("%v in flight, want 2.5", f.InFlight)
	}
}
