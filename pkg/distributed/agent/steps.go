package agent

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"warp/pkg/distributed/protocol"
	"warp/pkg/gate"
	"warp/pkg/op"
)

// windows counts operations in the sliding windows that the coordinator judges. It is an op.Sink.
type windows struct {
	job  *job
	list []*gate.Steps // by the number of their watch
	mu   sync.Mutex    // held while sending, so that nothing follows the end
}

// newWindows returns what counts for watches.
func newWindows(j *job, watches []protocol.Watch) (*windows, error) {
	w := &windows{job: j}
	for _, watch := range watches {
		if watch.Over < gate.MinOver {
			return nil, errors.New("the coordinator sent invalid windows")
		}
		w.list = append(w.list, gate.NewSteps(watch.Stream, watch.Over, time.Duration(j.offset.Load())))
	}
	return w, nil
}

// Write counts operations.
func (w *windows) Write(ops []op.Op) error {
	for _, s := range w.list {
		_ = s.Write(ops) // it never fails
	}
	return nil
}

// Close does nothing.
func (w *windows) Close() error { return nil }

// send sends what ended before a time of this machine's clock, and is counted by now; all of it at the end.
func (w *windows) send(ctx context.Context, now time.Time, end bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := time.Unix(0, w.job.toCoordinator(now.Add(-op.MaxDelay)))
	if end {
		before = time.Unix(0, math.MaxInt64)
	}
	for i, s := range w.list {
		list := s.Take(before)
		for {
			n := min(len(list), protocol.MaxSteps)
			m := protocol.Steps{Watch: i, Steps: list[:n]}
			if list = list[n:]; len(list) == 0 {
				m.UpTo = before.UnixNano()
			}
			if err := w.job.session.Send(ctx, protocol.MsgSteps, m); err != nil {
				return err
			}
			if len(list) == 0 {
				break
			}
		}
	}
	return nil
}
