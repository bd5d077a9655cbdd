package replay

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/trace"
)

// ThinkOriginal is the only value of Replay.Think but the empty one.
const ThinkOriginal = "original"

const (
	// MaxReplayClients is the maximum number of clients of a trace in a closed loop: each takes 1.3 KB.
	MaxReplayClients = 20_000
	// DefaultMaxClients is the default limit on clients with an operation in flight: each takes a thread.
	DefaultMaxClients = 1000
	// clientsGC is GOGC in a closed loop: its heap is large but mostly free of pointers, so that collections are cheap.
	clientsGC = 25
)

// closedLoop are the clients of a trace in a closed loop. Each sends its operations one after another: the next is ready when its gap
// in the trace has passed, and all operations that must precede it on its object have ended. Then the client takes a thread.
//
// They cannot deadlock. Let n be the first unsent operation of the trace. All before it were sent, and end, including those that its
// client sends before it and those that it needs on its object. So its gap passes, and it becomes ready. Operations in flight end, and
// free their threads, which take clients first ready, first served. So n is sent.
type closedLoop struct {
	*trace.ClientFile
	order   *objectTurns
	queue   *clientQueue
	next    []*trace.ClientOperation // of each client
	start   sync.Once
	begin   time.Time // of the first operation's gap
	failure error     // of reading a first operation
	gc      int       // the percentage of garbage before
}

// newReplayClients divides a trace by its clients.
func newClosedLoop(p *trace.Player) (*closedLoop, error) {
	debug.FreeOSMemory() // or the garbage of reading the trace would add to the counters
	c := &closedLoop{order: newObjectTurns(uint64(p.Objects.Numbers()))}
	var err error
	c.ClientFile, err = trace.NewClientFile(p.File, c.needs)
	if err != nil {
		return nil, err
	}
	c.order.begin()
	debug.FreeOSMemory()                 // frees half of the counters
	c.gc = debug.SetGCPercent(clientsGC) // or garbage could grow as large as the other half
	c.next = make([]*trace.ClientOperation, c.Clients())
	c.queue = newClientQueue(len(c.next), c.isReady)
	return c, nil
}

// needs returns what must end before an operation begins. It is called for all operations, in the order of the trace.
func (c *closedLoop) needs(o *trace.Operation) (n trace.Needs) {
	n.Object = c.order.need(o.Object, exclusive(o.Kind))
	if copiesAnother(o) {
		n.Source = c.order.need(uint64(o.Source), false)
	}
	return n
}

// copiesAnother reports whether an operation copies another object.
func copiesAnother(o *trace.Operation) bool { return o.Source >= 0 && uint64(o.Source) != o.Object }

// isReady reports whether all that the next operation of a client needs has ended. If not, leave returns the client later.
func (c *closedLoop) isReady(client int) bool {
	o := c.next[client]
	return c.order.reached(o.Object, o.Needs.Object, client) &&
		(!copiesAnother(&o.Operation) || c.order.reached(uint64(o.Source), o.Needs.Source, client))
}

// leave ends the use of an object, and resumes the clients that waited for it.
func (c *closedLoop) leave(object uint64) {
	for _, other := range c.order.leave(object) {
		if c.isReady(other) {
			c.queue.push(other)
		}
	}
}

// CheckClosedLoop returns an error if a trace's clients cannot run in a closed loop.
func CheckClosedLoop(s *trace.Summary) error {
	switch c := s.Clients; {
	case c.Unknown == s.Operations:
		return option.Errorf("think", "the trace does not say which client sent an operation; leave it out for an open loop")
	case s.ManyClients || c.Count > MaxReplayClients:
		const text = "the trace has %d clients or more (want at most %d; --scale, --from and --to select a part)"
		return option.Errorf("think", text, c.Count, MaxReplayClients)
	}
	return nil
}

// CheckThink returns an error for a Replay.Think that is invalid, by itself or with other parameters and the number of the trace's parts.
// It needs no trace.
func CheckThink(r *Replay, maxLate time.Duration, parts int) error {
	switch {
	case r.Think == "":
		return nil
	case r.Think != ThinkOriginal:
		return option.Invalid("think", r.Think, ThinkOriginal)
	case r.Loop:
		return option.Errorf("think, loop", "clients do not begin again; leave out one of them")
	case maxLate > 0:
		return option.Errorf("think, max-late", "in a closed loop clients wait, and send all; leave out one of them")
	case parts > 1:
		return option.Errorf("think, part", "the objects of a client are in several parts; leave out one of them")
	}
	return nil
}

// checkClosedLoop returns errors for a closed loop of a trace's clients.
func checkClosedLoop(r *Replay, load work.Load) []error {
	if r.Think == "" {
		return nil
	}
	errs := []error{CheckThink(r, load.MaxLate, r.Summary.Selection.Parts)}
	if load.Limited {
		errs = append(errs, option.Errorf("think", "want no end but a duration; other clients wait for what would not be sent"))
	}
	if err := CheckClosedLoop(r.Summary); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// scheduleAll schedules the first operations of all clients.
func (c *closedLoop) scheduleAll(r *Replay) {
	c.begin = clock.Now()
	for i := range c.next {
		if c.failure = c.schedule(i, r, c.begin, c.begin); c.failure != nil {
			return
		}
	}
}

// schedule schedules the next operation of a client after the end of one.
func (c *closedLoop) schedule(client int, r *Replay, began, ended time.Time) error {
	o, err := c.Next(client)
	switch c.next[client] = o; {
	case err != nil:
		return &work.Fault{Text: fmt.Sprintf("%s: %v", r.Trace, err)}
	case o == nil:
		c.queue.retire()
		return nil
	case o.FromStart:
		ended = began
	}
	c.queue.schedule(client, ended.Add(r.at(o.Gap)))
	return nil
}

// do performs the next operation of the first ready client.
func (c *closedLoop) do(ctx context.Context, w *work.Worker, r *Replay) error {
	c.start.Do(func() { c.scheduleAll(r) })
	if c.failure != nil {
		return c.failure
	}
	client, since, ok := c.queue.take(ctx, w.End())
	if !ok {
		return load.ErrNoMore
	}
	late := time.Duration(0)
	if !since.IsZero() {
		late = clock.Now().Sub(since)
	}
	o := c.next[client]
	w.Turn.N = o.Number
	w.SetThread(uint32(client))
	err := r.perform(ctx, w, &o.Operation, late)
	c.leave(o.Object)
	if copiesAnother(&o.Operation) {
		c.leave(uint64(o.Source))
	}
	if failure := c.schedule(client, r, w.Last().Start, w.Last().End); failure != nil {
		return failure
	}
	return err
}

// end removes the file of a closed loop, and restores GOGC. c may be nil, or have ended.
func (c *closedLoop) end() {
	if c != nil && c.queue != nil {
		c.queue.stop()
		c.queue, c.order = nil, nil
		debug.FreeOSMemory()
		debug.SetGCPercent(c.gc)
		_ = c.Close() // it was only read
	}
}

// replayed returns the results of the closed loop, given the end of its last operation; nil without a closed loop.
func (c *closedLoop) replayed(ended time.Time) *trace.ReplayedLoop {
	if c == nil {
		return nil
	}
	loop := &trace.ReplayedLoop{Clients: int64(c.Clients()), Then: c.Span}
	if !ended.IsZero() {
		loop.Now = ended.Sub(c.begin)
	}
	return loop
}
