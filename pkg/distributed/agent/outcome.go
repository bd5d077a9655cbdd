package agent

import (
	"fmt"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
)

// outcome is how the benchmark went on this client.
type outcome struct {
	observer *observe.Observer
	measured *bench.Result
	failed   error            // why the client measured only a part of the benchmark
	endClock *runinfo.Clock   // this machine's, after the measurement; nil: not known
	summary  *observe.Summary // of the client itself; nil: not known
}

// runEnd is how the benchmark went on this client.
func (o *outcome) runEnd() protocol.RunEnd {
	connections := o.measured.Connections
	connections.TLS = nil
	end := protocol.RunEnd{
		Interrupted: o.measured.Interrupted,
		Stable:      o.measured.Stable,
		Warnings:    transport.TextsOf(o.measured.Warnings),
		Notes:       transport.TextsOf(o.measured.Notes),
		Connections: connections,
		TLS:         transport.TextsOf(o.measured.Connections.TLS),
		Engine:      transport.PeerText(o.measured.Engine),
		Client:      o.summary,
	}
	for _, s := range o.measured.Schedules {
		end.Schedules = append(end.Schedules, protocol.Schedule{Stream: transport.PeerText(s.Stream), ScheduleStats: s})
	}
	for _, s := range o.measured.Contents {
		end.Contents = append(end.Contents, protocol.Contents{Set: transport.PeerText(s.Set), ContentStats: s})
	}
	for _, r := range o.measured.Replays {
		end.Replays = append(end.Replays, protocol.Replay{Stream: transport.PeerText(r.Stream), Replayed: r})
	}
	return end
}

// ownEnd is the end of the recording. An unfinished measurement is marked as interrupted.
func (o *outcome) ownEnd() *runinfo.End {
	if o.measured == nil {
		return &runinfo.End{Interrupted: true, Client: o.observer.Samples()}
	}
	end := runinfo.EndOf(o.measured, o.observer.Samples(), nil)
	end.Interrupted = end.Interrupted || o.failed != nil
	end.Engine, end.ClockEnd = o.measured.Engine, o.endClock
	return end
}

// warn adds a warning to the result of this client.
func (o *outcome) warn(format string, args ...any) {
	o.measured.Warnings = append(o.measured.Warnings, fmt.Sprintf(format, args...))
}

// summarize sums up the client itself over the time of the benchmark. offset is of this machine's clock; its drift does not matter, since
// samples are of a second.
func (o *outcome) summarize(s *aggregate.Snapshot, offset time.Duration) {
	from, to := s.Benchmark()
	if to.IsZero() {
		return
	}
	here := func(t time.Time) time.Time { return t.Add(offset) }
	if sum := o.observer.Summary(here(from), here(to)); sum.Samples > 0 {
		o.summary = &sum
	}
}
