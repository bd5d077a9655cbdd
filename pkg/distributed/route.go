package distributed

import (
	"context"
	"fmt"
	"maps"
)

// listen brings messages to those who wait for them, until the session is over.
func (j *job) listen() {
	for {
		f, err := j.session.recv(context.Background())
		if err != nil {
			j.halt(err)
			return
		}
		if err := j.route(f); err != nil {
			j.session.close(err)
		}
	}
}

func (j *job) route(f frame) error {
	key, err := f.key()
	if err != nil {
		return err
	}
	if f.kind == msgStop {
		var s stop
		if err := f.open(&s); err != nil {
			return err
		}
		if s.Stable {
			return j.settle(s)
		}
		j.halt(errStopped)
		return nil
	}
	j.mu.Lock()
	ch := j.waiting[key]
	delete(j.waiting, key)
	j.mu.Unlock()
	switch {
	case ch != nil:
		ch <- f // there is room for one
	case f.kind != msgGo && f.kind != msgValue: // those may come for one who was told to stop waiting
		return &violation{fmt.Sprintf("it said %q when nothing of the kind was due", f.kind)}
	}
	return nil
}

// key is what distinguishes the messages that one can wait for.
func (f *frame) key() (string, error) {
	switch f.kind {
	case msgGo:
		var b begin
		err := f.open(&b)
		return fmt.Sprintf("%s %d", msgGo, b.N), err
	case msgValue, msgMake:
		var o once
		err := f.open(&o)
		return f.kind + " " + o.Key, err
	case msgFetch, msgKeep:
		return msgFetch, nil
	}
	return f.kind, nil
}

// expect prepares to wait for the next message with a key. Doing so before asking for it misses none.
func (j *job) expect(key string) <-chan frame {
	ch := make(chan frame, 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[key] = ch
	return ch
}

// forget ends waiting.
func (j *job) forget(keys ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.waiting, func(k string, _ chan frame) bool {
		for _, key := range keys {
			if k == key {
				return true
			}
		}
		return false
	})
}

// await waits for a message, and opens its body into v unless that is nil.
func (j *job) await(ctx context.Context, ch <-chan frame, v any) error {
	select {
	case f := <-ch:
		if v == nil {
			return nil
		}
		return f.open(v)
	case <-j.session.done:
		return j.session.reason()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
