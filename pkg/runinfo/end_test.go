package runinfo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// twoRuns are operations of ten seconds, and the ends of two recordings of them: the first client was busy throughout, the
// second only before the first began.
func twoRuns(t *testing.T) (bounds *aggregate.Bounds, ends []json.RawMessage) {
	t.Helper()
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	bounds = aggregate.NewBounds(aggregate.Options{})
	for i := range 10 {
		at := start.Add(time.Duration(i) * time.Second)
		for _, client := range []string{"a", "b"} {
			if err := bounds.Write([]op.Op{{Kind: op.Get, Client: client, Start: at, End: at.Add(time.Second)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	busy := func(from, percent int) observe.Sample {
		cores := 2 * float64(percent) / 100
		return observe.Sample{
			Start: start.Add(time.Duration(from) * time.Second), Seconds: 10,
			CPU: &observe.CPU{Cores: cores, AvailableCores: 2, Percent: float64(percent), MaxPercent: float64(percent)},
		}
	}
	for _, end := range []End{
		{Warnings: []string{"stopped early"}, Interrupted: true, Client: []observe.Sample{busy(0, 95)}, Connections: work.Connections{Made: 2, Spent: 4, Longest: 3}},
		{Client: []observe.Sample{busy(-10, 95), busy(0, 20)}, Connections: work.Connections{Made: 3, Spent: 6, Longest: 2}, Engine: "lean"},
	} {
		text, err := json.Marshal(end)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, text)
	}
	return bounds, ends
}

// TestMergedSaysWhatPartsSay: a report on a merged recording has the warnings and clients of one on its parts.
func TestMergedSaysWhatPartsSay(t *testing.T) {
	bounds, ends := twoRuns(t)
	inputs := []recording.Input{{Name: "one"}, {Name: "two"}}
	windows := bounds.Windows().Groups
	snapshot := &aggregate.Snapshot{Groups: []*aggregate.Group{{Kind: op.Get, Window: windows[0].Window}}}
	headers := make([]recording.Header, 2)
	parts := Describe(inputs, &aggregate.Inputs{Headers: headers, Ends: ends, Warnings: []string{"little overlap"}}, snapshot)
	want := []string{"little overlap", "one: stopped early", "one: " + StoppedEarly, "one: client-limited: CPU at 95% of 2 cores: use more clients, or a client with more CPU"}
	if !reflect.DeepEqual(parts.Warnings, want) {
		t.Errorf("parts warn %q, want %q", parts.Warnings, want)
	}
	if !reflect.DeepEqual(parts.Connections, work.Connections{Made: 5, Spent: 10, Longest: 3}) {
		t.Errorf("connections %+v", parts.Connections)
	}
	if lines := parts.ClientLines(); !slices.Equal(lines, []string{"Client one: CPU 95% of 2 cores (max 95%)", "Client two: CPU 20% of 2 cores (max 20%)"}) {
		t.Errorf("lines %q", lines)
	}

	text, err := json.Marshal(MergeTee{bounds, inputs, nil}.End(&recording.Merged{Ends: ends, Warnings: []string{"little overlap"}}))
	if err != nil {
		t.Fatal(err)
	}
	if end := ParseEnd(text); !end.Interrupted || len(end.Parts) != 2 || end.Client != nil {
		t.Errorf("end is %s", text)
	}
	merged := Describe([]recording.Input{{Name: "all"}}, &aggregate.Inputs{Headers: headers[:1], Ends: []json.RawMessage{text}}, snapshot)
	if !reflect.DeepEqual(merged.Warnings, parts.Warnings) || !reflect.DeepEqual(merged.ClientLines(), parts.ClientLines()) || !reflect.DeepEqual(merged.Connections, parts.Connections) {
		t.Errorf("merged: warnings %q, clients %q, connections %v", merged.Warnings, merged.ClientLines(), merged.Connections)
	}
	if merged.Head.Engine != "lean" || parts.Head.Engine != "lean" {
		t.Errorf("engine of the parts %q, of the merged recording %q", parts.Head.Engine, merged.Head.Engine)
	}
	for name, d := range map[string]*Info{"parts": parts, "merged": merged} {
		d.Clients = []ClientReport{{Addr: "host:1"}}
		several, err := json.Marshal(d.AllClients())
		if err != nil || d.Self != nil || !strings.Contains(string(several), `"addr":"host:1"`) || !strings.Contains(string(several), `"recording":"two"`) {
			t.Errorf("%s: %s, %v", name, several, err)
		}
	}
}

// TestClientAlone: one recording has one client, which needs no name.
func TestClientAlone(t *testing.T) {
	bounds, ends := twoRuns(t)
	windows := bounds.Windows().Groups
	snapshot := &aggregate.Snapshot{Groups: []*aggregate.Group{{Kind: op.Get, Window: windows[0].Window}}}
	d := Describe([]recording.Input{{Name: "one"}}, &aggregate.Inputs{Headers: make([]recording.Header, 1), Ends: ends[:1]}, snapshot)
	if d.Self == nil || len(d.Self.Samples) != 1 || d.Parts != nil {
		t.Errorf("client %+v, parts %+v", d.Self, d.Parts)
	}
	if w := d.Warnings; len(w) != 3 || w[0] != "stopped early" || w[1] != "one: "+StoppedEarly || !strings.HasPrefix(w[2], "client-limited: ") {
		t.Errorf("warnings %q", w)
	}
	if all := d.AllClients(); all != nil {
		t.Errorf("several clients: %v", all)
	}
	unrecorded := Describe(make([]recording.Input, 1), &aggregate.Inputs{Headers: make([]recording.Header, 1), Ends: ends[:1]}, snapshot)
	if w := unrecorded.Warnings; len(w) != 3 || w[1] != StoppedEarly {
		t.Errorf("without a recording: warnings %q", w)
	}
}

// TestEndOfVeryMany: what the client-limited verdicts are is kept longest.
func TestEndOfVeryMany(t *testing.T) {
	bounds, ends := twoRuns(t)
	limited := ParseEnd(ends[0])
	from, to := bounds.Windows().Benchmark()
	var e End
	for i := range 5000 {
		if i < 100 {
			e.Parts = append(e.Parts, limited.parts(fmt.Sprintf("client %d", i), nil, from, to)...)
			e.Clients = append(e.Clients, ClientReport{Addr: fmt.Sprint(i), Self: &e.Parts[0].Self})
		}
		e.Warnings = append(e.Warnings, strings.Repeat("w", 200))
	}
	reports := e.Clients
	e.fit(recording.MaxRow / 2)
	last := e.Warnings[len(e.Warnings)-1]
	if e.size() > recording.MaxRow/2 || e.Parts != nil || !strings.HasPrefix(e.Warnings[99], "client 99: client-limited: ") || last != "4100 more warnings are not kept in this recording" {
		t.Errorf("%d bytes, %d warnings, %q is the 100th, the last %q", e.size(), len(e.Warnings), e.Warnings[99], last)
	}
	if reports[0].Self == nil {
		t.Error("what was given was changed")
	}
	few := End{Warnings: []string{"a"}, Clients: reports}
	if few.fit(recording.MaxRow / 2); len(few.Warnings) != 1 || few.Clients[0].Self == nil {
		t.Errorf("%+v", few)
	}
	few.fit(few.size() - 1)
	if len(few.Warnings) != 1 || len(few.Clients) != 100 || few.Clients[0].Self != nil {
		t.Errorf("%+v", few)
	}
}

// TestEndOfARunFits: what one client states at its end can be read again, however much a run has to say.
func TestEndOfARunFits(t *testing.T) {
	r := &bench.Result{}
	for range 20_000 {
		r.Warnings = append(r.Warnings, strings.Repeat("w", 200))
	}
	if end := EndOf(r, nil, nil); end.size() > recording.MaxRow || len(end.Warnings) < 2 || len(r.Warnings) != 20_000 {
		t.Errorf("%d bytes, %d warnings", end.size(), len(end.Warnings))
	}
}
