package cli

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
	"warp/pkg/distributed"
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
	for _, end := range []runEnd{
		{Warnings: []string{"stopped early"}, Interrupted: true, Client: []observe.Sample{busy(0, 95)}, Connections: bench.Connections{Made: 2, Spent: 4, Longest: 3}},
		{Client: []observe.Sample{busy(-10, 95), busy(0, 20)}, Connections: bench.Connections{Made: 3, Spent: 6, Longest: 2}, Engine: "lean"},
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
	parts := &reportView{snapshot: snapshot}
	parts.describe(inputs, &aggregate.Inputs{Headers: headers, Ends: ends, Warnings: []string{"little overlap"}})
	want := []string{"little overlap", "one: stopped early", "one: " + stoppedEarly, "one: client-limited: CPU at 95% of 2 cores: use more clients, or a client with more CPU"}
	if !reflect.DeepEqual(parts.warnings, want) {
		t.Errorf("parts warn %q, want %q", parts.warnings, want)
	}
	if parts.links != (bench.Connections{Made: 5, Spent: 10, Longest: 3}) {
		t.Errorf("connections %+v", parts.links)
	}
	if lines := parts.remarks(false); len(lines) != 4 || lines[2] != "Client one: CPU 95% of 2 cores (max 95%)" || lines[3] != "Client two: CPU 20% of 2 cores (max 20%)" {
		t.Errorf("remarks %q", lines)
	}

	crowd := &reportView{parts: slices.Repeat(parts.parts, 10)}
	if few, all := crowd.remarks(false), crowd.remarks(true); len(few) != mostParts+1 || len(all) != 20 {
		t.Errorf("of 20 clients %d lines, or %d: %q", len(few), len(all), few)
	}

	text, err := json.Marshal(mergeTee{bounds, inputs}.End(&recording.Merged{Ends: ends, Warnings: []string{"little overlap"}}))
	if err != nil {
		t.Fatal(err)
	}
	if end := endOf(text); !end.Interrupted || len(end.Parts) != 2 || end.Client != nil {
		t.Errorf("end is %s", text)
	}
	merged := &reportView{snapshot: snapshot}
	merged.describe([]recording.Input{{Name: "all"}}, &aggregate.Inputs{Headers: headers[:1], Ends: []json.RawMessage{text}})
	if !reflect.DeepEqual(merged.warnings, parts.warnings) || !reflect.DeepEqual(merged.remarks(false), parts.remarks(false)) {
		t.Errorf("merged: warnings %q, remarks %q", merged.warnings, merged.remarks(false))
	}
	if merged.config.Engine != "lean" || parts.config.Engine != "lean" {
		t.Errorf("engine of the parts %q, of the merged recording %q", parts.config.Engine, merged.config.Engine)
	}
	for name, v := range map[string]*reportView{"parts": parts, "merged": merged} {
		several, err := clientsJSON([]distributed.ClientReport{{Addr: "host:1"}}, v.parts)
		if err != nil || v.client != nil || !strings.Contains(string(several), `"addr":"host:1"`) || !strings.Contains(string(several), `"recording":"two"`) {
			t.Errorf("%s: %s, %v", name, several, err)
		}
	}
}

// TestClientAlone: one recording has one client, which needs no name.
func TestClientAlone(t *testing.T) {
	bounds, ends := twoRuns(t)
	windows := bounds.Windows().Groups
	v := &reportView{snapshot: &aggregate.Snapshot{Groups: []*aggregate.Group{{Kind: op.Get, Window: windows[0].Window}}}}
	v.describe([]recording.Input{{Name: "one"}}, &aggregate.Inputs{Headers: make([]recording.Header, 1), Ends: ends[:1]})
	if v.client == nil || len(v.client.Samples) != 1 || v.parts != nil {
		t.Errorf("client %+v, parts %+v", v.client, v.parts)
	}
	if len(v.warnings) != 3 || v.warnings[0] != "stopped early" || v.warnings[1] != "one: "+stoppedEarly || !strings.HasPrefix(v.warnings[2], "client-limited: ") {
		t.Errorf("warnings %q", v.warnings)
	}
	if text, err := clientsJSON(v.clients, v.parts); text != nil || err != nil {
		t.Errorf("several clients: %s, %v", text, err)
	}
}

// TestEndOfVeryMany: what the client-limited verdicts are is kept longest.
func TestEndOfVeryMany(t *testing.T) {
	bounds, ends := twoRuns(t)
	limited := endOf(ends[0])
	from, to := bounds.Windows().Benchmark()
	var e runEnd
	for i := range 5000 {
		if i < 100 {
			e.Parts = append(e.Parts, limited.parts(fmt.Sprintf("client %d", i), from, to)...)
			e.Clients = append(e.Clients, distributed.ClientReport{Addr: fmt.Sprint(i), Self: &e.Parts[0].Self})
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
	few := runEnd{Warnings: []string{"a"}, Clients: reports}
	if few.fit(recording.MaxRow / 2); len(few.Warnings) != 1 || few.Clients[0].Self == nil {
		t.Errorf("%+v", few)
	}
	few.fit(few.size() - 1)
	if len(few.Warnings) != 1 || len(few.Clients) != 100 || few.Clients[0].Self != nil {
		t.Errorf("%+v", few)
	}
}
