package agent

import (
	"context"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/load"
	"warp/pkg/op"
)

// TestLatenessOfClients has two clients of one thread each send at twice the rate that a store of 20 ms serves them: most of the
// lateness is waits for the threads, and the rows of the merged recording have no more of their own than they were late.
func TestLatenessOfClients(t *testing.T) {
	t.Parallel()
	const turns, delay = 60, 20 * time.Millisecond
	const rounding = time.Microsecond // of an operation's times on the coordinator's clock
	server := harness.Server(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.Stat {
			return responder.Fault{Delay: delay}
		}
		return responder.Fault{}
	}})
	_, addrs := startClients(t, 2)
	p := harness.Plan(t, "stat", server.Host(), 0, "-objects=20")
	ph := &p.Phases[0]
	ph.Schedule, ph.Concurrency, ph.Ops = load.Constant(200), 1, turns
	r, rec, err := runAll(context.Background(), p, testOptions(addrs...))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Schedules) != 1 {
		t.Fatalf("schedules %+v", r.Schedules)
	}
	var own, total time.Duration
	for _, o := range harness.ReadOps(t, rec) {
		if o.Phase == op.PhasePrepare {
			continue
		}
		if late := o.Start.Sub(o.Due); o.OwnLate < 0 || o.OwnLate > late+rounding {
			t.Errorf("an operation was %v late, %v of it by its client", late, o.OwnLate)
		}
		own, total = own+o.OwnLate, total+o.Start.Sub(o.Due)
	}
	s := &r.Schedules[0]
	// Turn k of a client is due after 10 ms for each before it, and waits for as many operations of at least 20 ms.
	const each = turns / 2
	if least := time.Duration(2*each*(each-1)/2) * (delay - 10*time.Millisecond); s.Sent != turns || s.Busy.Total < least || s.Busy.Turns < turns-4 || s.Most != 2 {
		t.Errorf("got %+v, want busy for at least %v", s, least)
	}
	skew := rounding * turns // the rows have times of the coordinator's clock, and clocks differ in speed
	for _, c := range r.Clients {
		skew += time.Duration(float64(total) * float64((c.ClockEnd.Offset - c.Clock.Offset).Abs()) / float64(c.ClockEnd.At.Sub(c.Clock.At)))
	}
	if whole := s.Busy.Total + s.Own.Total; whole > total+skew || own > total-s.Busy.Total+skew {
		t.Errorf("%v busy and %v own of %v, rows have %v", s.Busy.Total, s.Own.Total, total, own)
	}
}
