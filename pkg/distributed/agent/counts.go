package agent

import (
	"context"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// countSender sends what the operations have done so far, for the views of the coordinator.
type countSender struct {
	job *job

	mu   sync.Mutex
	live *live.State        // nil: nothing is counted yet
	sent map[countKey]int64 // requests, in the last message
}

type countKey struct {
	phase string
	kind  op.Kind
}

// follow has operations counted in these statistics.
func (s *countSender) follow(live *live.State) {
	if live == nil {
		return
	}
	live.CountMore()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = live
}

// nextSecond returns the time until the next full second of the coordinator. All clients count at the same times, and the views
// of the coordinator have each of their seconds.
func (s *countSender) nextSecond() time.Duration {
	at := time.Unix(0, s.job.toCoordinator(clock.Now()))
	return at.Truncate(time.Second).Add(time.Second).Sub(at)
}

// trySend sends the kinds of operations that have changed, unless messages wait to be sent: the next call makes up for that.
func (s *countSender) trySend() {
	if !s.mu.TryLock() {
		return // the last counts are being sent
	}
	defer s.mu.Unlock()
	s.sendChanged(func(k *protocol.KindCount) bool {
		ok, err := s.job.session.TrySend(protocol.MsgCount, k)
		return ok && err == nil
	})
}

// finish sends all that was not sent yet.
func (s *countSender) finish(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sendChanged(func(k *protocol.KindCount) bool { return s.job.session.Send(ctx, protocol.MsgCount, k) == nil })
}

// sendChanged sends each kind of operations that has changed since it was sent; s.mu is held. What cannot be sent, for instance because a
// message with very many hosts is too long, is missing in the views and nowhere else: a session that is over fails what comes next.
func (s *countSender) sendChanged(send func(*protocol.KindCount) bool) {
	if s.live == nil {
		return
	}
	at := s.job.toCoordinator(clock.Now())
	for _, c := range s.live.Counts() {
		key := countKey{c.Phase, c.Kind}
		if s.sent[key] == c.Requests {
			continue
		}
		s.correct(&c)
		if send(&protocol.KindCount{At: at, Count: c}) {
			s.sent[key] = c.Requests
		}
	}
}

// correct converts times to the coordinator's clock, and makes histograms as coarse as views show them.
func (s *countSender) correct(c *live.Count) {
	offset := time.Duration(s.job.offset.Load())
	for _, t := range []*time.Time{&c.First, &c.Last} {
		if !t.IsZero() {
			*t = t.Add(-offset)
		}
	}
	for i := range c.FirstErrors {
		c.FirstErrors[i].Time = c.FirstErrors[i].Time.Add(-offset)
	}
	for _, h := range []*hist.Histogram{c.Latency, c.Service, c.TTFB} {
		h.Coarsen(hist.Coarse)
	}
}
