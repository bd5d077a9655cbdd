package coordinator

import (
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
)

// members are the clients of a run, in the order of Options.Clients. The coordinator's lock guards them.
type members struct {
	all     []*member
	dropped []*member // whose loss settle has not handled
}

// drop goes on without a client.
func (s *members) drop(m *member, why error) {
	if m.drop(why) {
		s.dropped = append(s.dropped, m)
	}
}

// send sends a message to a client, or drops it. One that was dropped gets none.
func (s *members) send(m *member, kind string, body any) {
	if m.err != nil {
		return
	}
	if err := m.send(kind, body); err != nil {
		s.drop(m, err)
	}
}

// stop stops the benchmark of all clients.
func (s *members) stop(stop protocol.Stop) {
	for _, m := range s.all {
		if m.active() {
			s.send(m, protocol.MsgStop, stop)
		}
	}
}

// allDone reports whether all clients have finished.
func (s *members) allDone() bool { return !slices.ContainsFunc(s.all, (*member).active) }

// progress returns the sum of all clients in a stage. The total is 0 if not known.
func (s *members) progress(stage string) (done, total uint64) {
	for _, m := range s.all {
		k := m.progress.stages[stage]
		done += k.Done
		total += k.Total
	}
	return done, total
}

// counts returns the counts of each client, as views show them at a time.
func (s *members) counts(now time.Time) (all [][]live.Count) {
	for _, m := range s.all {
		at := now.Add(-countSlack)
		if m.progress.measured {
			at = time.Time{}
		}
		all = append(all, m.counts.upTo(at))
	}
	return all
}

// stepsUpTo returns a time: the operations of all clients before it, in the windows of a watch, are known. Lost clients do not count.
func (s *members) stepsUpTo(watch int) time.Time {
	first := int64(math.MaxInt64)
	for _, m := range s.all {
		if m.err == nil {
			first = min(first, m.stepsUpTo[watch])
		}
	}
	return time.Unix(0, first)
}

// maxParallel is how many clients are handled at a time where each one costs memory or sockets.
const maxParallel = 32

// each calls f for every client, several at a time, and waits for all.
func each(members []*member, f func(*member)) {
	var g errgroup.Group
	g.SetLimit(maxParallel)
	for _, m := range members {
		g.Go(func() error {
			f(m)
			return nil
		})
	}
	_ = g.Wait() // f returns no error
}
