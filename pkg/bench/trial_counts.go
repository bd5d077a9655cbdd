package bench

import (
	"sync"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
)

// trialCounts is a sink that counts the operations of a trial, and the bad ones for each objective.
type trialCounts struct {
	mu         sync.Mutex
	phase      string // of the trial; empty outside of trials
	objectives []search.Objective
	from       time.Time     // of the counted time
	block      time.Duration // length of each
	counts     [][]search.Count
	own        []aggregate.OwnPart // by objective
}

// begin begins to count a trial.
func (c *trialCounts) begin(phase string, objectives []search.Objective, from time.Time, t *search.Trial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase, c.objectives, c.from, c.block = phase, objectives, from, t.Duration/time.Duration(t.Blocks)
	c.counts, c.own = make([][]search.Count, len(objectives)), make([]aggregate.OwnPart, len(objectives))
	for i := range c.counts {
		c.counts[i] = make([]search.Count, t.Blocks)
	}
}

// end ends counting, and returns the counts by objective and block.
func (c *trialCounts) end() [][]search.Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase = ""
	return c.counts
}

// Write counts operations.
func (c *trialCounts) Write(ops []op.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range ops {
		if c.phase != "" && ops[i].Phase == c.phase {
			c.count(&ops[i])
		}
	}
	return nil
}

func (c *trialCounts) count(o *op.Op) {
	due := o.Start
	if !o.Due.IsZero() {
		due = o.Due
	}
	firstByte := o.Latency()
	if ttfb, ok := o.TTFB(); ok {
		firstByte = ttfb + o.Start.Sub(due)
	}
	for i := range c.objectives {
		obj := &c.objectives[i]
		if !obj.Covers(string(o.Kind.Base())) {
			continue
		}
		block := &c.counts[i][min(max(0, int(due.Sub(c.from)/c.block)), len(c.counts[i])-1)]
		block.Operations++
		if obj.Bad(o.Failed(), o.Latency(), firstByte) {
			block.Bad++
		}
		if !o.Failed() {
			c.own[i].Add(o)
		}
	}
}

// shares returns the client's own part of latencies in the last counted trial, with the latency of each objective.
func (c *trialCounts) shares() (list []observe.Share) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.objectives {
		if o := &c.objectives[i]; o.Limit > 0 {
			list = append(list, c.own[i].Allowed(o.Kind, 100*(1-o.Allowed), o.Limit))
		}
	}
	return list
}

// Close does nothing.
func (c *trialCounts) Close() error { return nil }

// addUnsent counts turns that were due and never sent, as bad for objectives of latency. They came last; each counts as many operations as
// the sent turns had on average.
func addUnsent(counts [][]search.Count, objectives []search.Objective, unsent, sent float64) {
	for i, blocks := range counts {
		total := 0.0
		for _, b := range blocks {
			total += b.Operations
		}
		left := unsent
		if sent > 0 {
			left *= total / sent
		}
		if objectives[i].Limit == 0 {
			continue
		}
		planned := (total + left) / float64(len(blocks))
		for k := len(blocks) - 1; k >= 0 && left > 0; k-- {
			n := min(left, max(0, planned-blocks[k].Operations))
			if k == 0 {
				n = left
			}
			blocks[k].Operations, blocks[k].Bad, left = blocks[k].Operations+n, blocks[k].Bad+n, left-n
		}
	}
}
