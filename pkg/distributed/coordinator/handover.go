package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// handover is the stream of frames with a client's results.
type handover struct {
	stall, grace time.Duration
	stalled      func(since time.Time) bool // reports whether the client made no progress since a time, for too long
	frames       chan transport.Frame
	done         chan struct{} // closed when no more frames come
	once         sync.Once
}

func newHandover(o *Options) handover {
	return handover{stall: o.Timing.Stall, grace: o.Grace, frames: make(chan transport.Frame), done: make(chan struct{})}
}

var errHandoverEnded = errors.New("nothing was handed over")

// storageError is an error of this machine, not of the client, in keeping a recording.
type storageError struct{ error }

// end closes the stream.
func (h *handover) end() { h.once.Do(func() { close(h.done) }) }

// put passes a frame to the reader of the stream.
func (h *handover) put(ctx context.Context, f transport.Frame) error {
	select {
	case h.frames <- f:
		return nil
	case <-h.done:
		return transport.Violationf("unexpected message %q", f.Kind)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// document decodes the next message, or document, into v. A nil v discards it.
func (h *handover) document(kind string, v any) error {
	message := transport.Assembly{Kind: kind, Limit: protocol.Wire.Documents[kind]}
	for {
		f, err := h.frame()
		if err != nil {
			return err
		}
		whole, err := message.Add(&f)
		switch {
		case err != nil:
			return err
		case !whole:
		case v == nil:
			return nil
		default:
			return f.Open(v)
		}
	}
}

// frame returns the next frame, or an error if the client stalls.
func (h *handover) frame() (transport.Frame, error) {
	tick := time.NewTicker(max(h.stall/10, time.Millisecond))
	defer tick.Stop()
	since := clock.Now()
	for {
		select {
		case f := <-h.frames:
			return f, nil
		case <-h.done:
			return transport.Frame{}, errHandoverEnded
		case <-tick.C:
			if h.stalled(since) {
				return transport.Frame{}, fmt.Errorf("no progress in handing over results for %v", h.stall)
			}
		}
	}
}

// recording writes the recording to a file, and returns the number of its operations. If that fails, the rest is received all the same:
// the client has done its part.
func (h *handover) recording(path string) (operations int64, err error) {
	f, failed := os.Create(path) //nolint:forbidigo // in a directory of its own, removed after the run
	if failed == nil {
		defer func() { _ = f.Close() }() // closed before, unless there is an error
	}
	bytes := int64(0)
	for {
		chunk, err := h.chunk()
		if err != nil {
			return 0, err
		}
		if chunk.Kind == protocol.MsgHandedOver {
			var end protocol.HandedOver
			if err := chunk.Open(&end); err != nil {
				return 0, err
			}
			if end.Bytes != bytes {
				return 0, transport.Violationf("received %d bytes of the recording, want %d", bytes, end.Bytes)
			}
			if failed == nil {
				failed = f.Close()
			}
			if failed != nil {
				return 0, &storageError{failed}
			}
			return end.Operations, nil
		}
		bytes += int64(len(chunk.Body))
		if failed == nil {
			_, failed = f.Write(chunk.Body)
		}
	}
}

// chunk returns the next chunk of a recording, or its end.
func (h *handover) chunk() (transport.Frame, error) {
	t := time.NewTimer(h.stall + h.grace)
	defer t.Stop()
	select {
	case f := <-h.frames:
		if f.Kind != transport.Chunk && f.Kind != protocol.MsgHandedOver {
			return f, transport.Violationf("unexpected message %q in the recording", f.Kind)
		}
		return f, nil
	case <-h.done:
		return transport.Frame{}, errors.New("the handover of the recording was cut off")
	case <-t.C:
		return transport.Frame{}, fmt.Errorf("no progress in handing over the recording for %v", h.stall)
	}
}
