package search

import (
	"fmt"
	"time"
)

// Record is a search in a recording: its configuration, and its trials so far.
type Record struct {
	Stream string        `json:"stream,omitempty"` // name of the stream that it varies; empty in a plan of one stream
	Config Config        `json:"config"`
	Trials []Observation `json:"trials"`
	Phases []string      `json:"phases"` // phase of each trial; empty for a trial in an earlier recording
}

// MaxTrials is the maximum number of trials in a record; no search performs as many.
const MaxTrials = 10_000

// Check returns an error for a trial that no search performs.
func (t *Trial) Check() error {
	if t.Level() <= 0 || t.Threads < 1 || t.Settle < 0 || t.Drain < 0 || t.Duration < time.Duration(t.Blocks) || t.Blocks < 1 ||
		t.Blocks > MaxTrials {
		return fmt.Errorf("no search performs this trial: %s", t)
	}
	return nil
}

// Check returns an error for a record that no search can have made: recordings and plans of others are not to be trusted.
func (r *Record) Check() error {
	if err := r.Config.Validate(); err != nil {
		return err
	}
	return CheckTrials(r.Trials)
}

// CheckTrials returns an error for trials that no search can have performed.
func CheckTrials(list []Observation) error {
	if len(list) > MaxTrials {
		return fmt.Errorf("%d trials (want at most %d)", len(list), MaxTrials)
	}
	for i := range list {
		o := &list[i]
		if err := o.Check(); err != nil || (i == 0) != (o.Purpose == Capacity) || o.Achieved < 0 {
			return fmt.Errorf("trial %d is none of a search", i+1)
		}
		if err := CheckCounts(o.Counts); err != nil {
			return fmt.Errorf("trial %d: %w", i+1, err)
		}
	}
	return nil
}

// CheckCounts returns an error for counts that no trial can have.
func CheckCounts(counts [][]Count) error {
	for _, blocks := range counts {
		for _, b := range blocks {
			if b.Bad < 0 || b.Bad > b.Operations {
				return fmt.Errorf("%v of %v operations are bad", b.Bad, b.Operations)
			}
		}
	}
	return nil
}

// Result returns the result of the trials so far.
func (r *Record) Result() Result { return r.Config.Result(r.Trials) }

// HeldTrial returns the index of the trial that held the load; -1 if there is none.
func (r *Record) HeldTrial() int {
	s := r.Config.state(r.Trials)
	held := s.held()
	for i := range r.Trials {
		if held == &r.Trials[i] {
			return i
		}
	}
	return -1
}

// Share returns the share of bad operations of a trial for an objective, and its 95% interval; ok is false if the trial had no operation
// that the objective covers.
func (r *Record) Share(trial, objective int) (share, low, high float64, ok bool) {
	o := &r.Trials[trial]
	n := r.Config.total(o, objective)
	if n.Operations == 0 {
		return 0, 0, 0, false
	}
	low, high = r.Config.interval(o, objective)
	return n.Share(), low, high, true
}

// Counted returns the number of operations of a trial that count for an objective.
func (r *Record) Counted(trial, objective int) int {
	return int(r.Trials[trial].totalFor(objective).Operations)
}

// Operations returns the number of operations of a trial that count.
func (o *Observation) Operations() int { return int(o.maxOperations()) }

// Worst returns the index of the objective that a trial is farthest from, or nearest to missing.
func (r *Record) Worst(trial int) (objective int) {
	highest := -1.0
	for i, obj := range r.Config.Objectives {
		if n := r.Config.total(&r.Trials[trial], i); n.Operations > 0 && n.Share()/obj.Allowed > highest {
			objective, highest = i, n.Share()/obj.Allowed
		}
	}
	return objective
}

// Confirmation returns the index of the trial that confirms the boundary, or that shows that it does not hold; -1: there was none.
func (r *Record) Confirmation() (trial int, confirmed bool) {
	s := r.Config.state(r.Trials)
	last := s.confirmation()
	return s.index(last), last != nil && s.confirmed(last)
}
