package search

import (
	"fmt"
	"time"

	"warp/pkg/units"
)

// Control is the load that a search varies.
type Control string

// What a search varies.
const (
	Rate    Control = "rate"    // operations per second of an open loop
	Threads Control = "threads" // of a closed loop
)

// Controls are all that a search can vary.
var Controls = []Control{Rate, Threads}

// Purpose is why a trial is performed.
type Purpose string

// The purposes of trials, in the order of a search.
const (
	Capacity   Purpose = "capacity"   // closed loop with all connections: the throughput that the store is capable of
	Floor      Purpose = "floor"      // a load so low that it fails only if no load can meet the objectives
	Bracket    Purpose = "bracket"    // rising loads up to the first failure
	Bisect     Purpose = "bisect"     // between a load that passed and one that failed
	Refine     Purpose = "refine"     // near the estimate
	Hold       Purpose = "hold"       // the estimate, or less, for long
	Confirm    Purpose = "confirm"    // the low end of the interval of the boundary, for minutes
	Hysteresis Purpose = "hysteresis" // a load that passed before any failed, again
)

// Trial is a load, and how long it lasts.
type Trial struct {
	Purpose  Purpose       `json:"purpose"`
	Rate     float64       `json:"rate,omitempty"`     // operations per second; 0: a closed loop
	Threads  int           `json:"threads"`            // of the closed loop, or the most operations in flight
	Drain    time.Duration `json:"drain_ns,omitempty"` // pause after the last operation of the previous trial
	Settle   time.Duration `json:"settle_ns"`          // load that is not counted
	Duration time.Duration `json:"duration_ns"`        // load that is counted
	Blocks   int           `json:"blocks"`             // equal parts of Duration that are counted by themselves
	Backlog  float64       `json:"backlog,omitempty"`  // operations that are due and not finished: with more than that the trial is aborted
}

// Level returns the load of the trial: operations per second, or threads.
func (t Trial) Level() float64 {
	if t.Rate > 0 {
		return t.Rate
	}
	return float64(t.Threads)
}

// String returns the purpose and the load.
func (t Trial) String() string {
	if t.Rate > 0 {
		return fmt.Sprintf("%s: %s/s", t.Purpose, units.PerSecond(t.Rate))
	}
	return fmt.Sprintf("%s: %s", t.Purpose, units.Plural(int64(t.Threads), "thread"))
}

// Length returns the time that the trial takes.
func (t Trial) Length() time.Duration { return t.Drain + t.Settle + t.Duration }

// Count is operations, and how many of them were bad.
type Count struct {
	Operations float64 `json:"operations"`
	Bad        float64 `json:"bad"`
}

// Share returns the share of bad operations; none at all are no reason for trust.
func (c Count) Share() float64 {
	if c.Operations == 0 {
		return 1
	}
	return c.Bad / c.Operations
}

func (c *Count) add(o Count) {
	c.Operations += o.Operations
	c.Bad += o.Bad
}

// Observation is how a trial went.
type Observation struct {
	Trial
	Achieved      float64       `json:"achieved"`                 // successful operations per second of the counted time
	Counts        [][]Count     `json:"counts,omitempty"`         // by objective and block; operations due in the counted time
	Aborted       bool          `json:"aborted,omitempty"`        // the backlog was exceeded
	ClientLimited bool          `json:"client_limited,omitempty"` // the client was the bottleneck
	Limit         string        `json:"limit,omitempty"`          // by what
	Spent         time.Duration `json:"spent_ns"`                 // by the whole trial
}

// totalFor returns the counts for an objective over all blocks.
func (o *Observation) totalFor(objective int) (c Count) {
	if objective < len(o.Counts) {
		for _, b := range o.Counts[objective] {
			c.add(b)
		}
	}
	return c
}

// maxOperations returns the number of operations of the objective that covers the most.
func (o *Observation) maxOperations() (n float64) {
	for i := range o.Counts {
		n = max(n, o.totalFor(i).Operations)
	}
	return n
}

// Verdict is the result of a trial by itself for an objective.
type Verdict string

// The verdicts. Only PASS and FAIL bound the search.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	Undecided Verdict = "undecided" // the share allowed lies within the interval of what was observed
	Invalid   Verdict = "invalid"   // the client was the bottleneck
)

// inflation returns how much more the share varies between blocks than that of independent operations, at least 1.
func (o *Observation) inflation(objective int, total Count) float64 {
	p := total.Share()
	if objective >= len(o.Counts) || p <= 0 || p >= 1 {
		return 1
	}
	square, blocks := 0.0, 0
	for _, b := range o.Counts[objective] {
		if b.Operations > 0 {
			d := b.Bad - p*b.Operations
			square += d * d / b.Operations
			blocks++
		}
	}
	if blocks < 2 {
		return 1
	}
	return max(1, square/float64(blocks-1)/(p*(1-p)))
}
