package search

import (
	"errors"
	"time"

	"warp/internal/option"
)

const (
	maxConfirmed = 2    // confirmations
	stray        = 1.5  // times the share allowed, up to which a confirmation may have chanced upon bad seconds: a lower load gets another
	apart        = 0.01 // least relative distance of the two
	trendBlocks  = 24   // parts of a confirmation that are compared
	trendCertain = 2.58 // standard deviations of their order: 1 of 100 without a trend
)

// reserve returns the time that is kept for a second load to hold and for the confirmation, as far as the budget has room for that.
func (c *Config) reserve() time.Duration {
	again, confirm := c.scaled(settle)+c.holdLength(), c.scaled(idle+settle+confirmLength)
	if c.Confirm && c.Budget >= 2*c.minBudget()+again+confirm {
		return again + confirm
	}
	return min(again, c.Budget-c.minBudget())
}

// Config describes a search.
type Config struct {
	Objectives  []Objective   `json:"objectives"`
	Control     Control       `json:"control"`
	MaxInflight int           `json:"max_inflight"`       // operations in flight at most, over all clients
	Strict      bool          `json:"strict,omitempty"`   // hold for two minutes instead of one
	Budget      time.Duration `json:"budget_ns"`          // of all trials
	Trial       time.Duration `json:"trial_ns,omitempty"` // of a trial, to which all other times are in proportion; 0: ten seconds
	Seed        uint64        `json:"seed"`               // of the random loads near the estimate
	Confirm     bool          `json:"confirm,omitempty"`  // a boundary needs a trial of minutes at the low end of its interval
}

// How trials are made, where they take ten seconds.
const (
	settle        = 3 * time.Second
	firstSettle   = 15 * time.Second // at the first visit of a load above all before
	idle          = 2 * time.Second  // before a lower load
	trialLength   = 10 * time.Second
	nearLength    = 25 * time.Second // near the boundary, where bad seconds are rare and decide
	maxTrial      = time.Minute
	maxFloor      = 20 * time.Second // a floor has few operations, and need not be decided
	blocksOfTrial = 10
	holdLength    = time.Minute
	strictLength  = 2 * time.Minute
	confirmLength = 5 * time.Minute
	backlogLength = 2 * time.Second // of load, after which a trial is aborted
	minTrial      = 100 * time.Millisecond
	maxBudget     = 7 * 24 * time.Hour
)

// How the search goes on.
const (
	floorShare   = 0.02 // of the capacity
	overload     = 1.25 // of the capacity: the last step of the bracket, and the factor of steps beyond it
	bisections   = 3
	scatter      = 0.05 // of trials around the estimate, at random
	minNear      = 6    // trials near the estimate
	maxNear      = 9
	maxRefined   = 12   // trials that refine, near the estimate or no longer: a store that gets slower moves it
	narrow       = 0.05 // relative width of the posterior's 95% that ends the refinement
	stepDown     = 0.01 // minimum step after the first load that was not held; it doubles, to catch up with a store that gets slower
	belowLimit   = 0.03 // distance from a load at which the client was the bottleneck
	wellBelow    = 0.10 // distance from what was held of the load that checks for hysteresis
	maxInvalid   = 3    // client-limited trials near the estimate, or to hold it
	minimalCount = 10   // operations allowed to be bad in a trial, so that its share means something
)

// Validate returns the errors of the configuration, all of them.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Objectives) == 0 {
		errs = append(errs, option.Errorf("slo", "no objective (want one like p99<50ms)"))
	}
	errs = append(errs, option.OneOf("control", c.Control, Controls...))
	if c.MaxInflight < 1 {
		errs = append(errs, option.Invalid("max-inflight", c.MaxInflight, "1 or more"))
	}
	switch least := c.minBudget(); {
	case c.Trial != 0 && (c.Trial < minTrial || c.Trial > maxTrial):
		errs = append(errs, option.Invalid("trial", c.Trial, "100ms to 1m"))
	case c.Budget < least:
		errs = append(errs, option.Invalid("budget", c.Budget, "at least "+least.String()))
	case c.Budget > maxBudget:
		errs = append(errs, option.Invalid("budget", c.Budget, "at most a week"))
	}
	return errors.Join(errs...)
}

// scaled returns a time in proportion to the length of trials.
func (c *Config) scaled(d time.Duration) time.Duration {
	if c.Trial == 0 {
		return d
	}
	return time.Duration(float64(d) * float64(c.Trial) / float64(trialLength))
}

// minBudget returns the shortest time that can have a result: capacity, floor, a bracket of one load, and the end.
func (c *Config) minBudget() time.Duration {
	return c.scaled(4*(firstSettle+trialLength)) + c.ending()
}

// ending returns the time that is reserved for the trials after the estimate.
func (c *Config) ending() time.Duration {
	return c.scaled(2*(idle+settle)+trialLength) + c.holdLength()
}

func (c *Config) holdLength() time.Duration {
	if c.Strict {
		return c.scaled(strictLength)
	}
	return c.scaled(holdLength)
}
