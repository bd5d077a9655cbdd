package screen

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/view/terminal"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // golden files hold times of day
	goleak.VerifyTestMain(m)
}

const mib = 1 << 20

var epoch = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)

// latencies returns n operations around a latency, with a tail.
func latencies(r *rand.Rand, n int, typical time.Duration) *hist.Histogram {
	h := hist.New(hist.Live)
	for range n {
		d := float64(typical) * (0.7 + 0.6*r.Float64())
		if r.IntN(50) == 0 {
			d *= 2 + 8*r.Float64()
		}
		h.Record(int64(d))
	}
	return h
}

// mixed is a run of two kinds of operations for a number of seconds, with an outage in the middle.
func mixed(seconds int) *Model {
	m := &Model{Where: "https://s3.example.com:9000 and 3 more"}
	m.Begin(terminal.Stage{Name: "Benchmarking mixed", Phases: []string{"fill", "mixed", "expire"}, Phase: 0, Duration: 5 * time.Minute})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range seconds {
		n, typical := 400+int(100*r.Float64()), 4*time.Millisecond
		if i > seconds/2 && i < seconds/2+10 {
			n, typical = 60, 40*time.Millisecond
		}
		if i == seconds/2 {
			m.Begin(terminal.Stage{Name: "Benchmarking expire", Phases: []string{"fill", "mixed", "expire"}, Phase: 1, Duration: 5 * time.Minute})
		}
		d := live.Detail{Late: 1234, Seconds: []live.Second{
			{Phase: "mixed", Kind: op.Get, Ops: int64(n), Bytes: int64(n) * mib, Latency: latencies(r, n, typical), Failed: int64(i / 10)},
			{Phase: "mixed", Kind: op.Put, Ops: int64(n / 4), Bytes: int64(n/4) * mib, Latency: latencies(r, n/4, 3*typical)},
		}}
		for k := range 4 {
			f := live.Figures{Ops: 25_000, Errors: int64(k % 2), OpsPerSec: 120 - float64(k), BytesPerSec: 118 * mib, P50: 4 * time.Millisecond, P99: time.Duration(k*k+9) * time.Millisecond}
			d.Hosts = append(d.Hosts, live.HostFigures{Host: fmt.Sprintf("https://s3-%d.example.com:9000", k+1), Figures: f})
		}
		last := aggregate.ErrorSample{Time: epoch.Add(42 * time.Second), Host: "https://s3-2.example.com:9000", Key: "k", Err: "SlowDown: Please reduce your request rate.\x1b[2J (id)"}
		d.Errors = []live.ErrorFigures{{Class: "SlowDown", Count: 12, Sample: last}, {Class: "timeout", Count: 1, Sample: last}}
		m.add(Moment{At: epoch.Add(time.Duration(i) * time.Second), Detail: d, Rate: "500/s", Limit: "own part 9.70ms of 13.2ms"})
	}
	m.Current.Last = terminal.Update{
		Elapsed: 92 * time.Second, Ops: 40_000, Done: 40_000, Errors: 13, BytesPerSec: 512 * mib, ObjPerSec: 530, P50: 4 * time.Millisecond, P99: 31 * time.Millisecond,
		Kinds: []terminal.Kind{
			{Name: "GET", BytesPerSec: 410 * mib, ObjPerSec: 424, P50: 4 * time.Millisecond, P99: 22 * time.Millisecond, Errors: 12},
			{Name: "PUT", BytesPerSec: 102 * mib, ObjPerSec: 106, P50: 12 * time.Millisecond, P99: 71 * time.Millisecond, Errors: 1},
		},
	}
	m.Marks = []Mark{{epoch.Add(30 * time.Second), "mark 1"}}
	m.say("Preparing: 2500 objects in 3.2s")
	m.say("Mark at 10:00:30: mark 1")
	return m
}

// single is a run of one phase in a closed loop against one host.
func single(seconds int) *Model {
	m := &Model{Where: "http://127.0.0.1:9000"}
	m.Begin(terminal.Stage{Name: "Benchmarking get", Duration: time.Minute})
	r := rand.New(rand.NewPCG(1, 2))
	m.add(Moment{At: epoch.Add(-time.Second)}) // before the first operation
	for i := range seconds {
		n := 400 + int(100*r.Float64())
		d := live.Detail{Seconds: []live.Second{{Kind: op.Get, Ops: int64(n), Bytes: int64(n) * mib, Latency: latencies(r, n, 4*time.Millisecond)}}}
		d.Hosts = []live.HostFigures{{Host: m.Where, Figures: live.Figures{Ops: 25_000, OpsPerSec: 450, P50: 4 * time.Millisecond, P99: 9 * time.Millisecond}}}
		m.add(Moment{At: epoch.Add(time.Duration(i) * time.Second), Detail: d})
	}
	m.Current.Last = terminal.Update{Elapsed: time.Duration(seconds+2) * time.Second, Ops: 9000, Done: 9000, BytesPerSec: 450 * mib, ObjPerSec: 450, P50: 4 * time.Millisecond, P99: 9 * time.Millisecond}
	m.say("Preparing: 200 objects in 588ms")
	return m
}

// withClients makes it a distributed run.
func withClients(m *Model) *Model {
	m.Moment.Detail.Hosts = nil
	for i := range 30 {
		c := live.ClientFigures{Client: fmt.Sprintf("client-%d:7761", i), Figures: live.Figures{Ops: 100, Errors: int64(i % 3), OpsPerSec: float64(100 + i), P50: time.Millisecond, P99: time.Duration(i+1) * time.Millisecond}}
		if i == 4 {
			c.State = "silent"
		}
		m.Moment.Clients = append(m.Moment.Clients, c)
	}
	return m
}

// withHosts adds the hosts of a distributed run, whose percentiles are not known.
func withHosts(m *Model) *Model {
	for i := range 4 {
		m.Moment.Detail.Hosts = append(m.Moment.Detail.Hosts, live.HostFigures{
			Host: fmt.Sprintf("http://node-%d:9000", i), Mean: time.Duration(1+i*i) * time.Millisecond,
			Figures: live.Figures{Ops: 900, Errors: int64(i / 3 * 7), OpsPerSec: float64(400 - 50*i), BytesPerSec: float64((40 - 5*i) << 20)},
		})
	}
	return m
}

var sequences = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// checkSize reports lines that do not fit.
func checkSize(t *testing.T, text string, width, height int) {
	t.Helper()
	lines := strings.Split(sequences.ReplaceAllString(text, ""), "\n")
	if len(lines) > height {
		t.Errorf("%d lines on a screen of %d", len(lines), height)
	}
	for _, l := range lines {
		if n := terminal.Cells(l); n > width {
			t.Errorf("%d cells on a screen of %d: %q", n, width, l)
		}
		if strings.ContainsRune(l, '\x1b') {
			t.Errorf("control character in %q", l)
		}
	}
}

func TestRender(t *testing.T) {
	panel := func(p Panel) func(*Model) { return func(m *Model) { m.Panel = p } }
	for name, set := range map[string]func(*Model){
		"overview": panel(Overview), "latency": panel(Latency), "errors": panel(Errors), "hosts": panel(Hosts), "phases": panel(Phases),
		"clients": func(m *Model) { withClients(m).Panel = Hosts }, "clients and hosts": func(m *Model) { withHosts(withClients(m)).Panel = Hosts }, "errors of clients": func(m *Model) {
			withClients(m).Panel = Errors
			m.Moment.Detail.Errors = append(m.Moment.Detail.Errors, live.ErrorFigures{Class: "short body", Count: 3})
		}, "whole": func(m *Model) { m.Whole = true },
		"help":          func(m *Model) { m.Help = true },
		"first seconds": func(m *Model) { *m = *single(3) }, "one host": func(m *Model) { *m = *single(30); m.Panel = Hosts },
		"one phase":   func(m *Model) { *m = *single(30); m.Panel = Phases },
		"closed loop": func(m *Model) { *m = *single(3); m.Help = true }, "paused": func(m *Model) { m.Paused, m.Stopping = true, true },
		"empty": func(m *Model) { *m = Model{} }, "begin": func(m *Model) {
			*m = Model{Where: "embedded server"}
			m.Begin(terminal.Stage{Name: "Preparing", Total: 2500})
			m.Current.Last = terminal.Update{Done: 120, Elapsed: time.Second}
		},
	} {
		for _, size := range []struct{ width, height int }{{40, 24}, {80, 24}, {200, 50}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size.width, size.height), func(t *testing.T) {
				m := mixed(160)
				set(m)
				text := Render(m, newStyle(false, false), size.width, size.height)
				checkSize(t, text, size.width, size.height)
				testkit.Golden(t, fmt.Sprintf("testdata/%s-%d.txt", name, size.width), text+"\n")
			})
		}
	}
}

// TestRenderColor checks that colours change nothing but colours, except in charts, whose shades they replace.
func TestRenderColor(t *testing.T) {
	for p := range panels {
		m := mixed(50)
		m.Panel = p
		plain, colored := Render(m, newStyle(false, false), 80, 24), Render(m, newStyle(true, false), 80, 24)
		checkSize(t, colored, 80, 24)
		a, b := strings.Split(plain, "\n"), strings.Split(sequences.ReplaceAllString(colored, ""), "\n")
		if len(a) != len(b) {
			t.Errorf("panel %d: %d lines with colours, %d without", p, len(b), len(a))
		}
		if !strings.Contains(colored, "\x1b[") {
			t.Errorf("panel %d has no colour", p)
		}
	}
}

func TestRenderASCII(t *testing.T) {
	for p := range panels {
		m := mixed(50)
		m.Panel, m.Help = p, p == Overview
		for _, color := range []bool{false, true} {
			for _, r := range Render(m, newStyle(color, true), 80, 24) {
				if r > 0x7f {
					t.Errorf("panel %d, colour %v: %q is not ASCII", p, color, r)
					break
				}
			}
		}
	}
}

// TestRenderAnySize draws all panels on screens of all sizes that are asked for in earnest, and others.
func TestRenderAnySize(t *testing.T) {
	m := withHosts(withClients(mixed(100)))
	m.Current.Last.ObjPerSec, m.Current.Last.BytesPerSec, m.Current.Last.P99 = 1e15, 1e18, time.Hour
	m.Current.Name, m.Where = "Предварительная 準備 of data", strings.Repeat("長", 100)
	style := newStyle(true, false)
	for width := -1; width < 260; width += 13 {
		for height := -1; height < 70; height += 9 {
			for p := range panels {
				m.Panel = p
				checkSize(t, Render(m, style, width, height), max(width, minWidth), max(height, leastHeight))
			}
			checkSize(t, strings.TrimSuffix(Final(m, style, width, height), "\n"), max(width, minWidth), 1000)
		}
	}
}

// TestHistoryKeepsAllOperations checks that charts of the whole run count what happened in it, however long it was.
func TestHistoryKeepsAllOperations(t *testing.T) {
	var m Model
	var want int64
	m.Begin(terminal.Stage{Name: "Benchmarking get"})
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 5000 {
		n := 1 + r.IntN(5)
		want += int64(n)
		s := live.Second{Phase: "get", Kind: op.Get, Ops: int64(n), Latency: latencies(r, n, time.Millisecond), Failed: int64(i)}
		m.add(Moment{At: epoch.Add(time.Duration(i) * time.Second), Detail: live.Detail{Seconds: []live.Second{s}}})
	}
	for _, width := range []int{1, 7, 100, 511, 1000} {
		columns := m.history.columns(width, true)
		var ops, samples, failed int64
		seconds := 0
		for _, c := range columns {
			ops, samples, failed, seconds = ops+c.all.ops, samples+c.all.latency.Count(), failed+c.failed, seconds+c.seconds
		}
		if ops != want || samples != want || failed != 4999 || seconds != 5000 {
			t.Errorf("%d columns hold %d operations, %d latencies and %d errors in %d seconds, want %d, %d, 4999 in 5000", width, ops, samples, failed, seconds, want, want)
		}
		if len(columns) > width {
			t.Errorf("%d columns, want at most %d", len(columns), width)
		}
	}
	if n := len(m.history.columns(80, false)); n != 80 {
		t.Errorf("%d columns of the last seconds, want 80", n)
	}
}

// TestFrozen checks that a model that goes on does not change its copy.
func TestFrozen(t *testing.T) {
	m := mixed(60)
	c := m.frozen()
	before := Render(c, newStyle(false, false), 80, 24)
	for i := range 600 {
		s := live.Second{Phase: "mixed", Kind: op.Get, Ops: 1, Latency: latencies(rand.New(rand.NewPCG(1, 1)), 1, time.Second)}
		m.add(Moment{At: epoch.Add(time.Hour + time.Duration(i)*time.Second), Detail: live.Detail{Seconds: []live.Second{s}}})
		m.say(fmt.Sprint("line ", i))
	}
	if after := Render(c, newStyle(false, false), 80, 24); after != before {
		t.Errorf("it changed:\n%s\nwas\n%s", after, before)
	}
}

// TestChartsAreFull: charts take the whole width from the first second, and the line of a kind spans the same time as they do.
func TestChartsAreFull(t *testing.T) {
	for _, seconds := range []int{1, 2, 7, 60, 500} {
		for _, width := range []int{40, 80, 200} {
			m := single(seconds)
			m.Whole = seconds > 60
			columns := m.history.columns(width-axisWidth, m.Whole)
			rows := heatStrip(newStyle(false, false), columns, width, 10)
			for cell := axisWidth; cell < width; cell++ {
				if !slices.ContainsFunc(rows, func(row string) bool { return []rune(row)[cell] != ' ' }) {
					t.Errorf("after %d s nothing is in column %d of %d:\n%s", seconds, cell, width, strings.Join(rows, "\n"))
					break
				}
			}
			if line := spark(newStyle(false, false), nil, rates(columns, ""), 11); strings.ContainsRune(line, ' ') {
				t.Errorf("after %d s a line has gaps: %q", seconds, line)
			}
		}
	}
}

// TestResample: values keep their place in time, whether there are more of them than cells or fewer.
func TestResample(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{1, 3, 5, 7}, []float64{2, 6}},
		{[]float64{1, 3, 5, 7, 9}, []float64{2, 7}},
		{[]float64{4}, []float64{4, 4, 4}},
		{[]float64{1, 2}, []float64{1, 1, 2, 2}},
		{nil, []float64{0, 0}},
	} {
		if got := resample(c.values, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%v in %d cells is %v, want %v", c.values, len(c.want), got, c.want)
		}
	}
}

// TestFinalIsOverview: what stays is the overview, whatever was looked at, without keys; notices are printed below it.
func TestFinalIsOverview(t *testing.T) {
	for p := range panels {
		m := single(30)
		want := Final(m, newStyle(false, false), 80, 24)
		m.Panel, m.Help = p, p == Errors
		got := Final(m, newStyle(false, false), 80, 24)
		if got != want || !strings.Contains(got, "Latency: p50 to p99") || strings.Contains(got, "Preparing") || strings.Contains(got, "2 latency") {
			t.Errorf("after panel %d this stays:\n%s", p, got)
		}
	}
}

// TestPanelsThatSaySomething: a single host has no panel, neither by its key nor by the tabulator.
func TestPanelsThatSaySomething(t *testing.T) {
	for hosts, want := range map[int][]Panel{1: {Overview, Overview, Latency, Errors, Phases, Overview}, 4: {Overview, Hosts, Phases, Overview, Latency, Errors}} {
		m := single(3)
		for range hosts - 1 {
			m.Moment.Detail.Hosts = append(m.Moment.Detail.Hosts, m.Moment.Detail.Hosts[0])
		}
		v := &view{model: m}
		got := []Panel{m.panel()}
		v.look("4")
		got = append(got, m.panel())
		for range 4 {
			v.look("tab")
			got = append(got, m.panel())
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d hosts the panels are %v, want %v", hosts, got, want)
		}
		if text := Render(m, newStyle(false, false), 80, 24); strings.Contains(text, "4 hosts") != (hosts > 1) {
			t.Errorf("with %d hosts:\n%s", hosts, text)
		}
	}
}
