package runinfo

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/search"
)

// times are 2000 times from 1 to 100 % of the longest.
func times(longest time.Duration) *hist.Histogram {
	h := hist.New(hist.Fine)
	for i := range 2000 {
		h.Record(int64(longest) * int64(1+i%100) / 100)
	}
	return h
}

// owned is a kind of operations of clients, whose latencies go up to 100 ms, with the longest own part of each.
func owned(phase string, kind op.Kind, own map[string]time.Duration) *aggregate.Group {
	g := &aggregate.Group{Phase: phase, Kind: kind, ByClient: map[string]*aggregate.Part{}, Window: aggregate.Window{Start: time.Unix(1e9, 0), End: time.Unix(1e9+10, 0)}}
	for name, longest := range own {
		p := &aggregate.Part{Latency: times(100 * time.Millisecond)}
		if longest > 0 {
			p.Own.All = times(longest)
		}
		g.ByClient[name] = p
		g.Latency = hist.Join(g.Latency, p.Latency)
		g.Own.Merge(&p.Own)
	}
	return g
}

const ms = time.Millisecond

func TestShares(t *testing.T) {
	s := &aggregate.Snapshot{Groups: []*aggregate.Group{
		owned(op.PhasePrepare, op.Put, map[string]time.Duration{"a": 90 * ms}),
		owned("read", op.Get, map[string]time.Duration{"a": 2 * ms, "b": 40 * ms}),
		owned("read", op.MultipartGet, map[string]time.Duration{"a": 90 * ms}),
		owned("03-hold", op.Get, map[string]time.Duration{"a": 90 * ms}),
	}}
	searches := []search.Record{{Phases: []string{"01-capacity", "03-hold"}}}
	for _, c := range []struct {
		clients []string
		own     []time.Duration // to within a bucket
	}{
		{nil, []time.Duration{39200 * time.Microsecond}}, // 99 % of the longest half
		{[]string{"a"}, []time.Duration{1980 * time.Microsecond}},
		{[]string{"b"}, []time.Duration{39600 * time.Microsecond}},
		{[]string{"a", "b"}, []time.Duration{1980 * time.Microsecond, 39600 * time.Microsecond}},
		{[]string{"c"}, nil},
	} {
		list := Shares(s, searches, c.clients...)
		ok := len(list) == len(c.own)
		for i := range min(len(list), len(c.own)) {
			ok = ok && list[i].Of == "read GET" && list[i].Percentile == 99 && list[i].Measured && (list[i].Own-c.own[i]).Abs() <= c.own[i]/100
		}
		if !ok {
			t.Errorf("clients %q: %+v, want %v", c.clients, list, c.own)
		}
	}
	if list := Shares(nil, nil); list != nil {
		t.Errorf("of nothing: %v", list)
	}
}

// Who was the limit is said of each client that made a recording, of several recordings, of one that was merged, and of the clients of a
// run.
func TestLimitsOfClients(t *testing.T) {
	samples := []observe.Sample{{Start: time.Unix(1e9, 0), Seconds: 10, CPUWait: &observe.CPUWait{MeanMillis: 1, Percent: 90}}}
	end := func(e End) json.RawMessage {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	slow := map[string]time.Duration{"a": 2 * ms, "b": 40 * ms}
	part := func(name string, clients ...string) PartStats {
		return PartStats{name, observe.Summarize(samples, time.Time{}, time.Time{}), clients}
	}
	report := []ClientReport{{Addr: "h:1"}, {Addr: "h:2", Limits: []observe.Limit{{Kind: observe.OwnPart, Client: "h:2"}}}}
	for _, c := range []struct {
		name    string
		own     map[string]time.Duration
		ends    []End
		clients [][]string
		limits  []string // the clients that were the limit
		warns   bool
		cause   observe.Cause
	}{
		{"one, fast enough", map[string]time.Duration{"a": 2 * ms}, []End{{Client: samples}}, nil, nil, false, ""},
		{"one", map[string]time.Duration{"b": 40 * ms}, []End{{Client: samples}}, nil, []string{""}, true, observe.CauseOthers},
		{"one, not known", map[string]time.Duration{"b": 0}, []End{{Client: samples}}, nil, []string{""}, true, observe.CauseOthers},
		{"one that was cut off", map[string]time.Duration{"b": 40 * ms}, []End{{}}, nil, []string{""}, true, observe.CauseUnknown},
		{"two recordings", slow, []End{{Client: samples}, {Client: samples}}, [][]string{{"a"}, {"b"}}, []string{"two"}, true, observe.CauseOthers},
		{"merged", slow, []End{{Parts: []PartStats{part("one", "a"), part("two", "b")}}}, nil, []string{"two"}, true, observe.CauseOthers},
		{"merged by an earlier version", slow, []End{{Parts: []PartStats{part("one"), part("two")}}}, nil, []string{""}, true, observe.CauseUnknown},
		{"of a distributed run", slow, []End{{Clients: report}}, nil, []string{"h:2"}, false, ""},
	} {
		s := &aggregate.Snapshot{Groups: []*aggregate.Group{owned("", op.Get, c.own)}}
		about := &aggregate.Inputs{Headers: make([]recording.Header, len(c.ends)), Clients: c.clients}
		var inputs []recording.Input
		for i := range c.ends {
			inputs, about.Ends = append(inputs, recording.Input{Name: []string{"one", "two"}[i]}), append(about.Ends, end(c.ends[i]))
		}
		d := Describe(inputs, about, s)
		var who []string
		for _, l := range d.Limits {
			who = append(who, l.Client)
			if l.Kind != observe.OwnPart || l.Cause != c.cause {
				t.Errorf("%s: %+v", c.name, l)
			}
		}
		if !slices.Equal(who, c.limits) {
			t.Errorf("%s: limits %q, want %q", c.name, who, c.limits)
		}
		if warned := strings.Contains(strings.Join(d.Warnings, ""), observe.Prefix); warned != c.warns {
			t.Errorf("%s: warnings %q", c.name, d.Warnings)
		}
	}
}
