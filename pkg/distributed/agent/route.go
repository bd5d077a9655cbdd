package agent

import (
	"context"
	"fmt"
	"maps"

	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// receive routes messages to the calls that wait for them, until the session is over.
func (j *job) receive() {
	for {
		f, err := j.session.Receive(context.Background())
		if err != nil {
			j.stopRun(err)
			return
		}
		if err := j.route(f); err != nil {
			j.session.Close(err)
		}
	}
}

func (j *job) route(f transport.Frame) error {
	key, err := keyOf(&f)
	if err != nil {
		return err
	}
	if f.Kind == protocol.MsgStop {
		var s protocol.Stop
		if err := f.Open(&s); err != nil {
			return err
		}
		if s.Stable {
			return j.endPhase(s)
		}
		j.stopRun(errStopped)
		return nil
	}
	j.mu.Lock()
	ch := j.waiting[key]
	delete(j.waiting, key)
	j.mu.Unlock()
	switch {
	case ch != nil:
		ch <- f // there is room for one
	case f.Kind != protocol.MsgGo && f.Kind != protocol.MsgValue: // their receiver may have been cancelled
		return transport.Violationf("unexpected message %q", f.Kind)
	}
	return nil
}

// keyOf returns the key under which a message is expected.
func keyOf(f *transport.Frame) (string, error) {
	switch f.Kind {
	case protocol.MsgGo:
		var b protocol.Begin
		err := f.Open(&b)
		return fmt.Sprintf("%s %d", protocol.MsgGo, b.N), err
	case protocol.MsgValue, protocol.MsgMake:
		var o protocol.Once
		err := f.Open(&o)
		return f.Kind + " " + o.Key, err
	case protocol.MsgFetch, protocol.MsgKeep:
		return protocol.MsgFetch, nil
	}
	return f.Kind, nil
}

// expect registers for the next message with a key. It comes before the request, so that no response is missed.
func (j *job) expect(key string) <-chan transport.Frame {
	ch := make(chan transport.Frame, 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[key] = ch
	return ch
}

// forget ends what expect began.
func (j *job) forget(keys ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.waiting, func(k string, _ chan transport.Frame) bool {
		for _, key := range keys {
			if k == key {
				return true
			}
		}
		return false
	})
}

// await waits for a message, and opens its body into v unless that is nil.
func (j *job) await(ctx context.Context, ch <-chan transport.Frame, v any) error {
	select {
	case f := <-ch:
		if v == nil {
			return nil
		}
		return f.Open(v)
	case <-j.session.Done():
		return j.session.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
