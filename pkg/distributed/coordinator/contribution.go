package coordinator

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
	"warp/pkg/runinfo"
)

// contribution is a client's part in the result.
type contribution struct {
	end        protocol.RunEnd // how its benchmark went
	endClock   *runinfo.Clock  // when it had measured
	inResult   bool            // its figures are in the result
	cut        string          // why it measured only a part of the benchmark
	leftOut    bool            // of the result, because of that
	finished   int             // the result has only these first phases of it; 0: all
	recorded   int64           // operations in its recording here
	unrecorded bool            // its figures are in the result, its recording is not in the merged one
	first      time.Time       // start of its first operation in a benchmark
	requests   int64
}

// add records that the statistics of the client are in the result.
func (c *contribution) add(s *aggregate.Snapshot) {
	c.inResult = true
	for _, g := range s.Groups {
		if !g.Kind.IsComposite() {
			c.requests += g.Requests
		}
		if g.Phase != op.PhasePrepare && !g.First.IsZero() && (c.first.IsZero() || g.First.Before(c.first)) {
			c.first = g.First
		}
	}
}

// schedules returns how the client kept its schedules, as far as it is in the result.
func (c *contribution) schedules() []protocol.Schedule {
	if c.leftOut {
		return nil
	}
	return c.end.Schedules
}
