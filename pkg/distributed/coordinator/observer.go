package coordinator

import (
	"fmt"
	"sync"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
	"warp/pkg/gate"
)

// Observer observes a run. One goroutine calls its methods.
type Observer interface {
	// Stage is called when a stage begins. Its functions are valid until the next one begins.
	Stage(s Stage)
	// Notice is called with a message for the user.
	Notice(text string)
	// Measured is called with the result before the clients clean up, unless no client has a part in it. The end of the run
	// may add to it.
	Measured(r *Result)
}

// WindowObserver is an Observer that judges sliding windows; see Options.Watches.
type WindowObserver interface {
	// Steps is called with operations of one client. Before the time until, the operations of all clients are known.
	Steps(of protocol.Watch, steps []gate.Step, until time.Time)
}

// Stage is a part of a run by all clients.
type Stage struct {
	Name     string                                  // as in bench.Stage
	Workload string                                  // what is benchmarked, or what the steps do
	Step     bool                                    // as in bench.Stage
	Phase    int                                     // as in bench.Stage
	Total    uint64                                  // operations to perform; 0: not known
	Warmup   time.Duration                           // at its beginning
	Duration time.Duration                           // planned; 0: not known
	Start    time.Time                               // when it begins; may lie in the future
	Progress func() (done, total uint64)             // of all clients; total is 0 if not known
	Recent   func(now time.Time) (live.Recent, bool) // of all clients
	Detail   func(second, now time.Time) Detail      // as live.State.Detail
	Counts   func() []live.Count                     // of all clients since the run began, up to a second old; nil: see Options.Counts
}

// Detail has the figures for a view over time.
type Detail struct {
	Seconds []live.Second
	Clients []live.ClientFigures // in their order
}

// noObserver is the default.
type noObserver struct{}

func (noObserver) Stage(Stage)      {}
func (noObserver) Notice(string)    {}
func (noObserver) Measured(*Result) {}

// notifier queues calls of the observer for the goroutine that makes them.
type notifier struct {
	observer Observer
	wake     chan struct{} // has a message when there is something to do

	mu     sync.Mutex
	queued []func(Observer)
}

func newNotifier(o Observer) *notifier { return &notifier{observer: o, wake: make(chan struct{}, 1)} }

// notify makes the queued calls.
func (n *notifier) notify() {
	n.mu.Lock()
	list := n.queued
	n.queued = nil
	n.mu.Unlock()
	for _, f := range list {
		f(n.observer)
	}
}

// observe queues a call.
func (n *notifier) observe(f func(Observer)) {
	n.mu.Lock()
	n.queued = append(n.queued, f)
	n.mu.Unlock()
	n.wakeUp()
}

// notice queues a notice.
func (n *notifier) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	n.observe(func(o Observer) { o.Notice(text) })
}

// wakeUp wakes the goroutine that makes the calls; it also looks whether all clients are done.
func (n *notifier) wakeUp() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}
