package distributed

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
	"warp/pkg/op"
)

func TestCorrection(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1_000_000, 0).Add(time.Duration(s * 1e9)) }
	for name, c := range map[string]struct {
		start Clock
		end   *Clock
		times map[float64]float64 // of the client, and what they are on the coordinator's clock
	}{
		"same":             {Clock{At: at(0)}, &Clock{At: at(100)}, map[float64]float64{0: 0, 50: 50}},
		"ahead":            {Clock{At: at(0), Offset: time.Second}, &Clock{At: at(100), Offset: time.Second}, map[float64]float64{1: 0, 51: 50}},
		"end not known":    {Clock{At: at(0), Offset: time.Second}, nil, map[float64]float64{1: 0, 101: 100}},
		"too fast":         {Clock{At: at(0)}, &Clock{At: at(100), Offset: time.Second}, map[float64]float64{0: 0, 50.5: 50, 101: 100}},
		"too slow":         {Clock{At: at(0), Offset: time.Second}, &Clock{At: at(100)}, map[float64]float64{1: 0, 50.5: 50, 100: 100}},
		"end not behind":   {Clock{At: at(0), Offset: time.Second}, &Clock{At: at(0), Offset: 5 * time.Second}, map[float64]float64{1: 0, 51: 50}},
		"behind, and slow": {Clock{At: at(0), Offset: -time.Second}, &Clock{At: at(100), Offset: -2 * time.Second}, map[float64]float64{-1: 0, 48.5: 50, 98: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			correct := newCorrection(c.start, c.end)
			for client, want := range c.times {
				if got := correct.apply(at(client)); got.Sub(at(want)).Abs() > time.Microsecond {
					t.Errorf("%v s of the client are %v s, want %v", client, got.Sub(at(0)).Seconds(), want)
				}
			}
			o := op.Op{Start: at(1), End: at(2)}
			correct.ops(&o)
			if !o.Due.IsZero() || !o.Start.Equal(correct.apply(at(1))) || !o.End.Equal(correct.apply(at(2))) {
				t.Errorf("an operation became %+v", o)
			}
		})
	}
}

// TestDrift lets the clock of a client go 10 % too fast. Both offsets are recorded, and times lie between.
func TestDrift(t *testing.T) {
	server := startServer(t, responder.Options{Rule: func(op.Kind, uint64) responder.Answer {
		return responder.Answer{Delay: 2 * time.Millisecond}
	}})
	begin := clock.Now()
	fast := startClient(t, func(o *ClientOptions) {
		o.now = func() time.Time { n := clock.Now(); return n.Add(n.Sub(begin) / 10) }
	})
	r, rec, err := runAll(context.Background(), testPlan(t, "put", server.Host(), time.Second), testOptions(fast.addr))
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
	// The pretended clock is asked for the offset only: the stamps of operations are those of the real one.
	own, merged := readOps(t, bytes.NewReader(b)), readOps(t, rec)
	if len(own) != len(merged) || len(own) < 10 {
		t.Fatalf("%d operations of the client's own recording, %d of the merged one", len(own), len(merged))
	}
	correct := newCorrection(c.Clock, c.ClockEnd)
	for i := range own {
		if want := correct.apply(own[i].Start); merged[i].Start.Sub(want).Abs() > time.Microsecond {
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
			j := &job{offset: offset, stable: make(map[int]chan struct{}), settling: make(map[int]bool)}
			jobs = append(jobs, j)
		}
		at := clock.Now().Add(2 * time.Second).UnixNano() // on the coordinator's clock
		for i, j := range jobs {
			s := stop{Stable: true, Phase: 1, At: at + int64(-j.offset)} // all run on one clock here
			j.settle(s)
			j.settle(s)
			g := &group{job: j, phases: 2}
			<-g.Settled()
			ended = append(ended, time.Now())
			if i > 0 && !ended[i].Equal(ended[0]) {
				t.Errorf("client %d ended %v after the first", i, ended[i].Sub(ended[0]))
			}
			select {
			case <-j.settled(0):
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
	server := startServer(t, responder.Options{})
	_, addrs := startClients(t, 2)
	w := &watcher{}
	o := testOptions(addrs...)
	o.Observer, o.StartAt = w, time.Now().Add(-time.Minute)
	r, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 200*time.Millisecond), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || len(w.notices) != 1 || r.Snapshot.Groups[0].Requests == 0 {
		t.Errorf("warnings %q, notices %q", r.Warnings, w.notices)
	}
}

// TestFinalProgress shows all of a preparation that was shorter than the time between two messages.
func TestFinalProgress(t *testing.T) {
	server := startServer(t, responder.Options{})
	rarely := func(o *ClientOptions) { o.timing.report = time.Hour }
	one, two := startClient(t, rarely), startClient(t, rarely)
	var prepare *Stage
	o := testOptions(one.addr, two.addr)
	o.Observer = &watcher{onStage: func(s Stage) {
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
	var clean Stage
	observe := o.Observer.(*watcher)
	before := observe.onStage
	observe.onStage = func(s Stage) { clean = s; before(s) }
	if _, _, err := runAll(context.Background(), testPlan(t, "get", server.Host(), 100*time.Millisecond, "-objects=7"), o); err != nil {
		t.Fatal(err)
	}
	if done, total := clean.Progress(); clean.Name != bench.StageCleanup || done != 14 || total != 14 {
		t.Errorf("in stage %s %d of %d objects were removed, want 14", clean.Name, done, total)
	}
}
