package bench

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/trace"
)

// ThinkOriginal is the one value of Replay.Think.
const ThinkOriginal = "original"

// MaxReplayClients is how many clients of a trace can have a thread each.
const MaxReplayClients = 10_000

// replayClients are the clients of a trace, each of which has a thread that sends its operations one after the other: the one that is ready waits the gap of the
// trace, then for what must be over before on its object.
//
// They cannot block each other. Let n be the first operation of the trace that was not sent. Those before it were, and end. They include
// all that its client sends before it, and all that it needs on its object. So its gap passes, and it is sent.
type replayClients struct {
	*trace.ClientFile
	order   *objectTurns
	clients []replayClient
	start   sync.Once
	begin   time.Time // of the first operation's gap
}

// replayClient is when the last operation of a client began and ended.
type replayClient struct{ began, ended time.Time }

// newReplayClients divides a trace by its clients.
func newReplayClients(p *trace.Player) (*replayClients, error) {
	debug.FreeOSMemory() // what reading the trace took, which would stay beside the counters
	c := &replayClients{order: newObjectTurns(uint64(p.Objects.Count))}
	var err error
	c.ClientFile, err = trace.NewClientFile(p.File, func(o *trace.Operation) uint32 { return c.order.need(o.Object, changes(o.Kind)) })
	if err != nil {
		return nil, err
	}
	c.order.begin()
	debug.FreeOSMemory() // half of the counters
	c.clients = make([]replayClient, c.Clients())
	return c, nil
}

// CheckReplayClients returns what is wrong with the clients of a trace for a closed loop.
func CheckReplayClients(s *trace.Summary) error {
	switch c := s.Clients; {
	case c.Unknown == s.Operations:
		return option.Errorf("think", "the trace does not say which client sent an operation; leave it out for an open loop")
	case s.ManyClients || c.Count > MaxReplayClients:
		return option.Errorf("think", "the trace has %d clients or more (want at most %d; --scale, --from and --to select a part)", c.Count, MaxReplayClients)
	}
	return nil
}

// CheckThink returns what is wrong with Replay.Think beside other parameters of a replay, of so many parts of a trace. It needs no trace.
func CheckThink(r *Replay, maxLate time.Duration, parts int) error {
	switch {
	case r.Think == "":
		return nil
	case r.Think != ThinkOriginal:
		return option.Invalid("think", r.Think, ThinkOriginal)
	case r.Loop:
		return option.Errorf("think, loop", "clients do not begin again; leave out one of them")
	case maxLate > 0:
		return option.Errorf("think, max-late", "in a closed loop no operation is late; leave out one of them")
	case parts > 1:
		return option.Errorf("think, part", "the objects of a client are in several parts; leave out one of them")
	}
	return nil
}

// checkClosedLoop returns what is wrong with a closed loop of the clients of a trace.
func checkClosedLoop(r *Replay, s *Stream) []error {
	if r.Think == "" {
		return nil
	}
	errs := []error{CheckThink(r, s.MaxLate, r.Summary.Selection.Parts)}
	if s.limited() || s.Bytes > 0 {
		errs = append(errs, option.Errorf("think", "want no end but a duration; other clients wait for what would not be sent"))
	}
	if err := CheckReplayClients(r.Summary); err != nil {
		errs = append(errs, err)
	} else if s.Concurrency != int(r.Summary.Clients.Count) {
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, fmt.Sprintf("%d, as many as the trace has clients", r.Summary.Clients.Count)))
	}
	return errs
}

// next waits until the next operation of the worker's client may be sent, and returns it. If there is no more, or sending ended before, the error is load.ErrNoMore.
func (c *replayClients) next(ctx context.Context, w *Worker, r *Replay) (*trace.ClientOperation, error) {
	number := w.Turn.Worker
	if number >= len(c.clients) {
		return nil, load.ErrNoMore
	}
	o, err := c.Next(number)
	if err != nil {
		return nil, &fault{fmt.Sprintf("%s: %v", r.Trace, err)}
	}
	if o == nil {
		return nil, load.ErrNoMore
	}
	c.start.Do(func() { c.begin = clock.Now() })
	from := c.clients[number].ended
	switch {
	case from.IsZero():
		from = c.begin
	case o.FromStart:
		from = c.clients[number].began
	}
	if !pauseUntil(ctx, w.over, from.Add(r.at(o.Gap))) || !c.order.wait(ctx, w.over, o.Object, o.Need) {
		return nil, load.ErrNoMore
	}
	return o, nil
}

// pauseUntil waits until a time. It returns false if ctx or sending ended before.
func pauseUntil(ctx context.Context, stopped <-chan struct{}, t time.Time) bool {
	left := t.Sub(clock.Now())
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	return await(ctx, stopped, timer.C)
}

// over notes that the operation of a worker's client has ended.
func (c *replayClients) over(w *Worker, o *trace.ClientOperation) {
	c.clients[w.Turn.Worker] = replayClient{w.rec.Start, w.rec.End}
	c.order.leave(o.Object)
}

// do performs the next operation of the worker's client.
func (c *replayClients) do(ctx context.Context, w *Worker, r *Replay) error {
	o, err := c.next(ctx, w, r)
	if err != nil {
		return err
	}
	w.Turn.N = o.Number
	defer c.over(w, o)
	return r.perform(ctx, w, &o.Operation, 0)
}

// end removes the file of a closed loop. c may be nil.
func (c *replayClients) end() {
	if c != nil {
		_ = c.Close() // it was only read
	}
}

// replayed returns what is known of the closed loop; nil without one.
func (c *replayClients) replayed() *trace.ReplayedLoop {
	if c == nil {
		return nil
	}
	loop := &trace.ReplayedLoop{Clients: int64(c.Clients()), Then: c.Span}
	for i := range c.clients {
		if one := &c.clients[i]; !one.ended.IsZero() {
			loop.Now = max(loop.Now, one.ended.Sub(c.begin))
		}
	}
	return loop
}
