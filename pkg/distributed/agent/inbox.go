package agent

import (
	"context"
	"fmt"
	"sync"

	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// inbox passes each message of a session to the call that waits for it.
type inbox struct {
	session *transport.Session

	mu      sync.Mutex
	waiting map[string]chan transport.Frame
}

func newInbox(s *transport.Session) *inbox {
	return &inbox{session: s, waiting: make(map[string]chan transport.Frame)}
}

// expect registers for the next message with a key. It comes before the request, so that no response is missed.
func (i *inbox) expect(key string) <-chan transport.Frame {
	ch := make(chan transport.Frame, 1)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.waiting[key] = ch
	return ch
}

// forget ends what expect began.
func (i *inbox) forget(keys ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, key := range keys {
		delete(i.waiting, key)
	}
}

// await waits for a message, and opens its body into v unless that is nil.
func (i *inbox) await(ctx context.Context, ch <-chan transport.Frame, v any) error {
	select {
	case f := <-ch:
		if v == nil {
			return nil
		}
		return f.Open(v)
	case <-i.session.Done():
		return i.session.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// deliver passes a message to the call that waits for it.
func (i *inbox) deliver(f transport.Frame) error {
	key, err := keyOf(&f)
	if err != nil {
		return err
	}
	i.mu.Lock()
	ch := i.waiting[key]
	delete(i.waiting, key)
	i.mu.Unlock()
	switch {
	case ch != nil:
		ch <- f // there is room for one
	case f.Kind != protocol.MsgRelease && f.Kind != protocol.MsgValue && f.Kind != protocol.MsgDataChunk:
		// The receivers of these may have been cancelled.
		return transport.Violationf("unexpected message %q", f.Kind)
	}
	return nil
}

// keyOf returns the key under which a message is expected.
func keyOf(f *transport.Frame) (string, error) {
	switch f.Kind {
	case protocol.MsgRelease:
		var b protocol.Release
		err := f.Open(&b)
		return fmt.Sprintf("%s %d", protocol.MsgRelease, b.N), err
	case protocol.MsgValue, protocol.MsgCreate:
		var o protocol.SharedValue
		err := f.Open(&o)
		return f.Kind + " " + o.Key, err
	case protocol.MsgFetch, protocol.MsgKeepResults:
		return protocol.MsgFetch, nil
	}
	return f.Kind, nil
}
