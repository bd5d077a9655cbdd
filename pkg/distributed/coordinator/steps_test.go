package coordinator

import (
	"math"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/gate"
)

// TestSteps: what no client can have counted is refused, and what a client has sent is known to be all when all others have sent theirs.
func TestSteps(t *testing.T) {
	c := &coordinator{
		notifier: newNotifier(noObserver{}),
		opts:     Options{Watches: []protocol.Watch{{Stream: "a", Over: time.Second}, {Stream: "b", Over: 10 * time.Second}}},
	}
	for range 3 {
		c.members.all = append(c.members.all, &member{stepsUpTo: make([]int64, 2)})
	}
	now := clock.Now().UnixNano()
	good := gate.Step{Number: now / int64(time.Second/10), Kind: "GET", Requests: 3, Errors: 1, Considered: 2}
	for name, change := range map[string]func(*protocol.Steps){
		"window":   func(s *protocol.Steps) { s.Watch = 2 },
		"negative": func(s *protocol.Steps) { s.Watch = -1 },
		"many":     func(s *protocol.Steps) { s.Steps = make([]gate.Step, protocol.MaxSteps+1) },
		"kind":     func(s *protocol.Steps) { s.Steps[0].Kind = "\x1b]0;mine\x07" },
		"no kind":  func(s *protocol.Steps) { s.Steps[0].Kind = "" },
		"early":    func(s *protocol.Steps) { s.Steps[0].Number = 0 },
		"late":     func(s *protocol.Steps) { s.Steps[0].Number = math.MaxInt64 },
		"failed":   func(s *protocol.Steps) { s.Steps[0].Errors = 2 },
		"fewer":    func(s *protocol.Steps) { s.Steps[0].Errors = -1 },
	} {
		s := protocol.Steps{Steps: []gate.Step{good}}
		change(&s)
		if err := (inbox{c, c.members.all[0]}).steps(&s); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if len(c.queued) > 0 || c.members.all[0].stepsUpTo[0] != 0 {
		t.Error("what was refused has an effect")
	}
	send := func(member int, upTo int64) {
		t.Helper()
		if err := (inbox{c, c.members.all[member]}).steps(&protocol.Steps{Steps: []gate.Step{good}, UpTo: upTo}); err != nil {
			t.Error(err)
		}
	}
	want := func(ns int64) {
		t.Helper()
		if got := c.members.stepsUpTo(0).UnixNano(); got != ns {
			t.Errorf("all is known before %d, want %d", got, ns)
		}
	}
	send(0, now)
	send(1, now+5)
	want(0)
	send(2, now+7)
	want(now)
	send(0, math.MaxInt64)
	want(now + 5)
	send(0, 0)
	want(now + 5)
	c.members.all[1].err = errRestarted
	want(now + 7)
	if got := c.members.stepsUpTo(1); got.UnixNano() != 0 {
		t.Errorf("the other window: %v", got)
	}
}
