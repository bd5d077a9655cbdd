package bench

import (
	"time"

	"warp/pkg/s3"
)

// Connections is the connections that were made during the benchmark, apart from those of the preparation. The time to
// make one (name lookup, TCP, TLS) is part of the latency of the operation that needed it.
type Connections struct {
	Made    uint64        `json:"made"`
	Spent   time.Duration `json:"spent_ns"`   // on all of them together
	Longest time.Duration `json:"longest_ns"` // on one of them
}

// connStats counts the connections of one worker, and what was odd about the responses on them.
type connStats struct {
	Connections
	plainRanges uint64 // see s3.Call.PlainRange
}

func (s *connStats) count(c *s3.Call) {
	if c.PlainRange {
		s.plainRanges++
	}
	if !c.Connected {
		return
	}
	s.Made++
	s.Spent += c.Connect
	s.Longest = max(s.Longest, c.Connect)
}

// Add adds the connections of a worker, or of another client.
func (c *Connections) Add(o Connections) {
	c.Made += o.Made
	c.Spent += o.Spent
	c.Longest = max(c.Longest, o.Longest)
}
