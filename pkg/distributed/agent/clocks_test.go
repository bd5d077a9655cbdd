package agent

import (
	"bytes"
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
)

// TestDrift lets the clock of a client go 10 % too fast. Both offsets are recorded, and times lie between.
func TestDrift(t *testing.T) {
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault {
		return responder.Fault{Delay: 2 * time.Millisecond}
	}})
	begin := clock.Now()
	fast := startClient(t, func(o *Options) {
		o.now = func() time.Time { n := clock.Now(); return n.Add(n.Sub(begin) / 10) }
	})
	p := harness.Plan(t, "put", server.Host(), 0)
	p.Phases[0].Ops = 1200 // of two threads, so they take more than a second
	r, rec, err := runAll(context.Background(), p, testOptions(fast.addr))
	if err != nil {
		t.Fatal(err)
	}
	c := r.Clients[0]
	if c.ClockEnd == nil || c.ClockEnd.At.Sub(c.Clock.At) < time.Second {
		t.Fatalf("clock at the start %+v, at the end %+v", c.Clock, c.ClockEnd)
	}
	drift, want := c.ClockEnd.Offset-c.Clock.Offset, c.ClockEnd.At.Sub(c.Clock.At)/10
	if (drift - want).Abs() > (c.ClockEnd.RTT+c.Clock.RTT)*11/20+time.Millisecond { // half, and as much as the clock gained on the way
		t.Fatalf("in %v the clock gained %v, by what was measured at the start %+v and at the end %+v", want*10, drift, c.Clock, c.ClockEnd)
	}
	b, err := os.ReadFile(c.Recording)
	if err != nil {
		t.Fatal(err)
	}
	// The pretended clock is asked for the offset only: the stamps of operations come from the real one.
	own, merged := harness.ReadOps(t, bytes.NewReader(b)), harness.ReadOps(t, rec)
	if len(own) != len(merged) || len(own) < 10 {
		t.Fatalf("%d operations of the client's own recording, %d of the merged one", len(own), len(merged))
	}
	correct := protocol.NewCorrection(c.Clock, c.ClockEnd)
	for i := range own {
		if want := correct.Apply(own[i].Start); merged[i].Start.Sub(want).Abs() > time.Microsecond {
			t.Fatalf("operation %d began at %v, want %v", i, merged[i].Start, want)
		}
	}
	first, last := own[0].Start.Sub(merged[0].Start), own[len(own)-1].Start.Sub(merged[len(own)-1].Start)
	if first <= c.Clock.Offset || last <= first || last >= c.ClockEnd.Offset {
		t.Errorf("the first operation was moved by %v, the last by %v; offsets were %v and %v", first, last, c.Clock.Offset, c.ClockEnd.Offset)
	}
}

// TestSettle ends a phase of clients with different clocks at one instant, and once, however often it is told.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var jobs []*job
		var ended []time.Time
		for _, offset := range []time.Duration{0, 700 * time.Millisecond, -900 * time.Millisecond} {
			j := &job{}
			j.offset.Store(int64(offset))
			jobs = append(jobs, j)
		}
		at := clock.Now().Add(2 * time.Second).UnixNano() // on the coordinator's clock
		for i, j := range jobs {
			s := protocol.Stop{Stable: true, Phase: 1, At: at - j.offset.Load()} // all run on one clock here
			j.endPhase(s)
			j.endPhase(s)
			g := &group{job: j, phases: 2}
			<-g.Settled()
			ended = append(ended, time.Now())
			if i > 0 && !ended[i].Equal(ended[0]) {
				t.Errorf("client %d ended %v after the first", i, ended[i].Sub(ended[0]))
			}
			select {
			case <-j.stableEnds.Ended(0):
				t.Error("another phase ended too")
			default:
			}
		}
		if d := ended[0].Sub(began); d != 2*time.Second {
			t.Errorf("ended after %v", d)
		}
		time.Sleep(5 * time.Second) // all timers have fired
	})
}

// TestStartAtIsOver begins at once, and says so.
func TestStartAtIsOver(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	_, addrs := startClients(t, 2)
	w := &watcher{}
	o := testOptions(addrs...)
	o.Observer, o.StartAt = w, time.Now().Add(-time.Minute)
	p := harness.Plan(t, "put", server.Host(), 0)
	p.Phases[0].Ops = 100 // a duration may be over before the clients hear of it
	r, _, err := runAll(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || len(w.notices) != 1 || r.Snapshot.Groups[0].Requests == 0 {
		t.Errorf("warnings %q, notices %q", r.Warnings, w.notices)
	}
}

// TestFinalProgress shows all of a preparation that was shorter than the time between two messages.
func TestFinalProgress(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	rarely := func(o *Options) { o.Timing.LiveInterval = time.Hour }
	one, two := startClient(t, rarely), startClient(t, rarely)
	var prepare *coordinator.Stage
	o := testOptions(one.addr, two.addr)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			prepare = &s
		}
		if s.Name != bench.StageBenchmark {
			return
		}
		if prepare == nil {
			t.Error("the preparation was not told of")
		} else if done, total := prepare.Progress(); done != 14 || total != 14 {
			t.Errorf("%d of %d objects were prepared, want 14", done, total)
		}
	}}
	var clean coordinator.Stage
	observe := o.Observer.(*watcher)
	before := observe.onStage
	observe.onStage = func(s coordinator.Stage) { clean = s; before(s) }
	if _, _, err := runAll(context.Background(), harness.Limited(t, "get", server.Host(), 50, "-objects=7"), o); err != nil {
		t.Fatal(err)
	}
	if done, total := clean.Progress(); clean.Name != bench.StageCleanup || done != 14 || total != 14 {
		t.Errorf("in stage %s %d of %d objects were removed, want 14", clean.Name, done, total)
	}
}
