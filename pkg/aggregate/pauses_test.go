package aggregate

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// thinking is a run of threads that pause after each operation, until sending stops.
func thinking(threads int, takes, pause, duration time.Duration) (ops []op.Op) {
	for th := range threads {
		for now := time.Duration(th) * pause / time.Duration(threads); now < duration; now += takes + pause {
			o := optest.Get(0, 0)
			o.Thread, o.Start, o.End, o.FirstByte = uint32(th), optest.Epoch.Add(now), optest.Epoch.Add(now+takes), optest.Epoch.Add(now+takes)
			ops = append(ops, o)
		}
	}
	return optest.Ordered(ops, optest.ByEnd)
}

// withPauses is the only kind of a run with pauses.
func withPauses(t *testing.T, pause time.Duration, ops []op.Op) (*Group, *Snapshot) {
	t.Helper()
	s := analyze(t, Options{Pauses: map[string]time.Duration{"": pause}}, ops)
	if len(s.Groups) != 1 {
		t.Fatalf("%d kinds", len(s.Groups))
	}
	return s.Groups[0], s
}

// A thread in a pause has not ended: the window ends where sending stopped, up to one pause later than the last end of the first thread.
func TestPausesAtTheEnd(t *testing.T) {
	const pause, takes = time.Second, 10 * time.Millisecond
	ops := thinking(10, takes, pause, 20*time.Second)
	var stopped time.Time
	for _, o := range ops {
		if o.Start.After(stopped) {
			stopped = o.Start
		}
	}
	g, s := withPauses(t, pause, ops)
	if !g.Window.End.Equal(stopped) || warned(s, "active window is") {
		t.Errorf("the window ends at %v, want %v; %q", g.Window.End, stopped, s.Warnings)
	}
	testkit.Near(t, "operations/s", g.OpsPerSec(), 10/(pause+takes).Seconds(), 0.01)
	if without, _ := only(t, Options{}, ops); !without.Window.End.Before(stopped.Add(-pause / 2)) {
		t.Errorf("without pauses, the window ends at %v", without.Window.End)
	}
	classic := analyze(t, Options{Rule: Classic, Pauses: map[string]time.Duration{"": pause}}, ops).Groups[0].Window
	if !classic.equal(analyze(t, Options{Rule: Classic}, ops).Groups[0].Window) {
		t.Errorf("by the rule of MinIO warp, the window ends at %v", classic.End)
	}
	// A thread that ended for good ends the window when its next operation would have started.
	gone := slices.DeleteFunc(slices.Clone(ops), func(o op.Op) bool { return o.Thread == 3 && o.Start.After(optest.At(10)) })
	var last time.Time
	for _, o := range gone {
		if o.Thread == 3 && o.End.After(last) {
			last = o.End
		}
	}
	g, s = withPauses(t, pause, gone)
	if want := last.Add(pause); !g.Window.End.Equal(want) || !warned(s, "thread 3 ended its last operation") {
		t.Errorf("the window ends at %v, want %v; %q", g.Window.End, want, s.Warnings)
	}
	// What ended is the operation before the pause, and a pause is that of its phase.
	if e := g.Window.Ended; e == nil || e.Thread != 3 || !e.End.Equal(last) {
		t.Errorf("ended by %+v", e)
	}
	other, _ := only(t, Options{Pauses: map[string]time.Duration{"other": pause}}, ops)
	if without, _ := only(t, Options{}, ops); !other.Window.equal(without.Window) {
		t.Errorf("by the pause of another phase: %+v, want %+v", other.Window, without.Window)
	}
}

// Recordings of clients that state their windows each have the window of all of them together.
func TestPausesOfSeveralRecordings(t *testing.T) {
	ops := thinking(10, 10*time.Millisecond, time.Second, 20*time.Second)
	opts := Options{Pauses: map[string]time.Duration{"": time.Second}}
	var stated []json.RawMessage
	both := NewBounds(opts)
	for k := range 2 {
		part := slices.DeleteFunc(slices.Clone(ops), func(o op.Op) bool { return int(o.Thread)/5 != k })
		for i := range part {
			part[i].Client = string(rune('a' + k))
		}
		b := NewBounds(opts)
		_ = b.Write(part)
		text, err := json.Marshal(b.End(nil))
		if err != nil {
			t.Fatal(err)
		}
		stated = append(stated, text)
		// Bounds of a client travel without pauses.
		text, err = json.Marshal(b)
		sent := NewBounds(Options{})
		if err != nil || json.Unmarshal(text, sent) != nil || both.Merge(sent) != nil {
			t.Fatal(err)
		}
	}
	whole := NewBounds(opts)
	_ = whole.Write(ops)
	if got, want := both.Windows(), whole.Windows(); !got.equal(want) {
		t.Errorf("merged %+v, want %+v", got, want)
	}
	if one := commonWindows(opts, stated[:1]); one == nil {
		t.Error("one recording states its windows")
	}
	if w := commonWindows(opts, stated); w != nil {
		t.Errorf("%+v follows from two recordings, whose last starts differ", w)
	}
}

// The figures of one host equal its row in the report of all hosts: over the window of the run, while threads were at work
// on any host.
func TestOneHostHasTheWindowOfTheRun(t *testing.T) {
	ops := optest.ClosedLoop(4, 20*time.Second, func(int, time.Duration) time.Duration { return 10 * time.Millisecond })
	for i := range ops {
		// Each thread goes from one host to the next after ten seconds, and to the rare one once in between.
		switch at := ops[i].Start.Sub(optest.Epoch); {
		case at < 10*time.Second:
			ops[i].Endpoint = "http://a:9000"
		case at < 10*time.Second+20*time.Millisecond:
			ops[i].Endpoint, ops[i].Kind = "http://rare:9000", op.Put
		default:
			ops[i].Endpoint = "http://b:9000"
		}
	}
	all := analyze(t, Options{HostSegments: true}, ops)
	for _, host := range []string{"a:9000", "b:9000", "rare:9000"} {
		s := analyze(t, Options{Host: host}, ops)
		if len(s.Groups) != 1 {
			t.Fatalf("%s: %d kinds", host, len(s.Groups))
		}
		g := s.Groups[0]
		i := slices.IndexFunc(all.Groups, func(o *Group) bool { return o.Kind == g.Kind })
		row := all.Groups[i].ByHost["http://"+host]
		if !g.Window.equal(all.Groups[i].Window) || row == nil || g.Bytes != row.Bytes || g.Ops != row.Ops ||
			g.Latency.Count() != row.Latency.Count() {
			t.Errorf("%s: %+v, want %+v over %+v", host, g.Part, row, all.Groups[i].Window)
		}
	}
}
