package lean

import (
	"context"
	"sync/atomic"
)

// watch ends a wait when the context of an exchange ends. The operations of a run share one context, so it registers
// with a context once, and not for each exchange.
type watch struct {
	done   <-chan struct{} // of the context that is watched
	stop   func() bool
	socket atomic.Pointer[socket] // of the present exchange, or of the last one
}

// follow makes ctx the context that is watched. Contexts that end together count as one.
func (w *watch) follow(ctx context.Context) {
	done := ctx.Done()
	if done == w.done {
		return
	}
	w.end()
	if w.done = done; done != nil {
		w.stop = context.AfterFunc(ctx, w.interrupt)
	}
}

// on sets the socket to wake. The context must be checked once after it: it may have ended just before.
func (w *watch) on(s *socket) {
	if w.socket.Load() != s {
		w.socket.Store(s)
	}
}

// interrupt may come late and hit another exchange, which finds its own context alive and waits on.
func (w *watch) interrupt() {
	if s := w.socket.Load(); s != nil {
		s.interrupt()
	}
}

func (w *watch) end() {
	if w.stop != nil {
		w.stop()
	}
	w.done, w.stop = nil, nil
}
