package search

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"warp/internal/option"
)

// Config is what a search looks for.
type Config struct {
	Objectives  []Objective   `json:"objectives"`
	Control     Control       `json:"control"`
	MaxInflight int           `json:"max_inflight"`       // operations in flight at most, over all clients
	Strict      bool          `json:"strict,omitempty"`   // hold for two minutes instead of one
	Budget      time.Duration `json:"budget_ns"`          // of all trials
	Trial       time.Duration `json:"trial_ns,omitempty"` // of a trial, to which all other times are in proportion; 0: ten seconds
	Seed        uint64        `json:"seed"`               // of the random loads near the estimate
	Confirm     bool          `json:"confirm,omitempty"`  // a boundary is claimed only if the low end of its interval was held for minutes; earlier recordings lack that
}

// How trials are made, where they take ten seconds.
const (
	settle        = 3 * time.Second
	firstSettle   = 15 * time.Second // at the first visit of a load above all before
	idle          = 2 * time.Second  // before a lower load
	trialLength   = 10 * time.Second
	nearLength    = 25 * time.Second // near the boundary, where bad seconds are rare and decide
	longestTrial  = time.Minute
	longestFloor  = 20 * time.Second // a floor has few operations, and need not be decided
	blocksOfTrial = 10
	holdLength    = time.Minute
	strictLength  = 2 * time.Minute
	confirmLength = 5 * time.Minute
	backlogLength = 2 * time.Second // of load, after which a trial is aborted
	shortestTrial = 100 * time.Millisecond
	longestBudget = 7 * 24 * time.Hour
)

// How the search goes on.
const (
	floorShare   = 0.02 // of the capacity
	overload     = 1.25 // of the capacity: the last step of the bracket, and the factor of steps beyond it
	bisections   = 3
	scatter      = 0.05 // of trials around the estimate, at random
	leastNear    = 6    // trials near the estimate
	mostNear     = 9
	mostRefined  = 12   // trials that refine, near the estimate or no longer: a store that gets slower moves it
	narrow       = 0.05 // relative width of the posterior's 95 % that ends the refinement
	stepDown     = 0.01 // at least, after the first load that was not held; twice that after the next, since a store that gets slower must be caught up with
	belowLimit   = 0.03 // distance from a load at which the client was the bottleneck
	wellBelow    = 0.10 // distance from what was held of the load that checks for hysteresis
	mostInvalid  = 3    // trials near the estimate, or to hold it, in which the client was the bottleneck
	minimalCount = 10   // operations allowed to be bad in a trial, so that its share means something
)

// Validate returns what is wrong with the configuration.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Objectives) == 0 {
		errs = append(errs, option.Errorf("slo", "no objective (want one like p99<50ms)"))
	}
	errs = append(errs, option.OneOf("control", c.Control, Rate, Threads))
	if c.MaxInflight < 1 {
		errs = append(errs, option.Invalid("max-inflight", c.MaxInflight, "1 or more"))
	}
	switch least := c.leastBudget(); {
	case c.Trial != 0 && (c.Trial < shortestTrial || c.Trial > longestTrial):
		errs = append(errs, option.Invalid("trial", c.Trial, "100ms to 1m"))
	case c.Budget < least:
		errs = append(errs, option.Invalid("budget", c.Budget, "at least "+least.String()))
	case c.Budget > longestBudget:
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

// leastBudget returns the time without which there is no result: capacity, floor, a bracket of one load, and the end.
func (c *Config) leastBudget() time.Duration {
	return c.scaled(4*(firstSettle+trialLength)) + c.ending()
}

// ending returns the time that is kept for what follows the estimate.
func (c *Config) ending() time.Duration {
	return c.scaled(2*(idle+settle)+trialLength) + c.holdLength()
}

func (c *Config) holdLength() time.Duration {
	if c.Strict {
		return c.scaled(strictLength)
	}
	return c.scaled(holdLength)
}

// Next returns the next trial of a search that has performed the given ones; ok is false at its end.
func (c *Config) Next(done []Observation) (t Trial, ok bool) {
	s := c.state(done)
	level, purpose := s.next()
	if purpose == "" {
		return Trial{}, false
	}
	return s.trial(level, purpose), true
}

// state is what the trials of a search amount to.
type state struct {
	*Config
	done     []Observation
	capacity *Observation
	floor    []*Observation
	explored []*Observation // valid and invalid trials that look for the boundary
	holds    []*Observation
	confirms []*Observation
	check    *Observation
	spent    time.Duration
	fits     []*posterior // of objectives, once they were needed
	drift    float64      // change of its logarithm in a second that estimates follow
	motion   motion
	middle   map[*Observation]float64 // of the counted time of each trial, in seconds from the beginning of the search
	highest  float64                  // level of all trials but the closed loop that measures the capacity
}

func (c *Config) state(done []Observation) *state {
	s := &state{Config: c, done: done, middle: map[*Observation]float64{}}
	for i := range done {
		o := &done[i]
		s.spent += o.Spent
		s.middle[o] = (s.spent - min(o.Duration, o.Spent)/2).Seconds()
		switch o.Purpose {
		case Capacity:
			s.capacity = o
			continue
		case Floor:
			s.floor = append(s.floor, o)
		case Hold:
			s.holds = append(s.holds, o)
		case Confirm:
			s.confirms = append(s.confirms, o)
		case Hysteresis:
			s.check = o
		default:
			s.explored = append(s.explored, o)
		}
		s.highest = max(s.highest, o.Level())
	}
	return s
}

// top returns the level of the capacity: operations per second, or threads.
func (s *state) top() float64 {
	if s.Control == Threads {
		return float64(s.MaxInflight)
	}
	return s.capacity.Achieved
}

// level returns the nearest level that can be set, at least the floor.
func (s *state) level(v float64) float64 {
	if s.Control == Threads {
		return min(max(1, math.Floor(v+1e-9)), float64(s.MaxInflight))
	}
	return v
}

func (s *state) floorLevel() float64 { return s.level(floorShare * s.top()) }

// next returns the level and the purpose of the next trial; no purpose at the end.
func (s *state) next() (level float64, purpose Purpose) {
	switch {
	case s.capacity == nil:
		return 0, Capacity
	case s.capacity.Achieved <= 0 || s.infeasible():
		return 0, ""
	case len(s.floor) == 0 || len(s.floor) == 1 && s.Verdict(s.floor[0]) != Pass && !s.meets(s.floor[0]):
		return s.floorLevel(), Floor
	case len(s.holds) > 0:
		return s.afterHold()
	}
	if level, purpose = s.explore(); purpose != "" {
		if s.spent+s.trial(level, purpose).Length()+s.ending()+s.reserve() <= s.Budget {
			return level, purpose
		}
	}
	return s.level(s.estimate()), Hold
}

// infeasible reports whether the floor fails, or two trials of it did not decide and their share is too high.
func (s *state) infeasible() bool {
	if len(s.floor) == 0 {
		return false
	}
	last := s.floor[len(s.floor)-1]
	switch s.Verdict(last) {
	case Fail, Invalid:
		return true
	case Undecided:
		return len(s.floor) > 1 && !s.meets(last)
	}
	return false
}

// explore returns the next trial that looks for the boundary; no purpose if there are enough.
func (s *state) explore() (level float64, purpose Purpose) {
	low, high, limited := s.bounds()
	if high == 0 {
		return s.rise()
	}
	bisected := 0
	for _, o := range s.explored {
		if o.Purpose == Bisect {
			bisected++
		}
	}
	last := s.explored[len(s.explored)-1]
	if bisected < bisections && (limited || last.Purpose == Bracket || s.Verdict(last) != Undecided) && len(s.explored) < bisections+mostNear {
		if level := s.level(math.Sqrt(low * high)); level > low && level < high {
			return level, Bisect
		}
	}
	if limited || s.invalid(s.explored, Refine) >= mostInvalid || s.settled() {
		return 0, ""
	}
	rng := rand.New(rand.NewPCG(s.Seed, uint64(len(s.done))))
	level = s.level(s.estimate() * math.Exp(scatter*(2*rng.Float64()-1)))
	if limit := s.limit(); level >= limit {
		level = s.level(limit * (1 - belowLimit))
	}
	return max(level, s.floorLevel()), Refine
}

// rise returns the next load of the bracket, in which nothing has failed so far.
func (s *state) rise() (float64, Purpose) {
	for _, part := range []float64{1.0 / 8, 1.0 / 4, 1.0 / 2, 1, overload} {
		if level := s.level(part * s.top()); level > s.highest {
			return level, Bracket
		}
	}
	if level := s.level(s.highest * overload); level > s.highest {
		return level, Bracket
	}
	return 0, "" // all threads pass
}

// bounds returns the highest level that passed below all that did not, and the lowest that failed or was invalid; 0: none. limited is
// whether only the client keeps the search from higher loads: no valid trial missed an objective.
func (s *state) bounds() (low, high float64, limited bool) {
	for _, o := range s.explored {
		if v := s.Verdict(o); (v == Fail || v == Invalid) && (high == 0 || o.Level() < high) {
			high = o.Level()
		}
	}
	limited = high > 0
	for _, o := range s.explored {
		limited = limited && (o.ClientLimited || s.meets(o))
	}
	low = s.floorLevel()
	for _, o := range s.explored {
		if s.Verdict(o) == Pass && o.Level() > low && (high == 0 || o.Level() < high) {
			low = o.Level()
		}
	}
	return low, high, limited
}

// invalid returns how many trials of a purpose were invalid.
func (s *state) invalid(list []*Observation, p Purpose) (n int) {
	for _, o := range list {
		if o.Purpose == p && o.ClientLimited {
			n++
		}
	}
	return n
}

// settled reports whether the trials near the estimate suffice.
func (s *state) settled() bool {
	estimate, near, refined := s.estimate(), 0, 0
	for _, o := range s.explored {
		if o.Purpose == Refine {
			refined++
		}
		if math.Abs(math.Log(o.Level()/estimate)) <= 1.25*scatter {
			near++
		}
	}
	if near < leastNear && refined < mostRefined {
		return false
	}
	return refined >= mostRefined || near >= mostNear || s.quantile(0.975)-s.quantile(0.025) < narrow*estimate
}

// afterHold returns what follows the last trial that was to hold an estimate.
func (s *state) afterHold() (level float64, purpose Purpose) {
	last := s.holds[len(s.holds)-1]
	if s.meets(last) {
		if level, ok := s.confirmLevel(last); ok {
			return level, Confirm
		}
		if level, ok := s.checkLevel(last.Level()); ok && s.check == nil {
			return level, Hysteresis
		}
		return 0, ""
	}
	steps := len(s.holds) - 1
	if s.Verdict(last) == Undecided { // it is near the boundary, from which a large step would lead away
		steps = max(0, steps-1)
	}
	level = s.level(min(s.estimate(), last.Level()*(1-stepDown*math.Exp2(float64(steps)))))
	if level == last.Level() {
		level--
	}
	if level < s.floorLevel() || s.invalid(s.holds, Hold) >= mostInvalid || s.spent+s.trial(level, Hold).Length() > s.Budget {
		return 0, ""
	}
	return level, Hold
}

// checkLevel returns the highest load that passed before any failed, and is far from what was held.
func (s *state) checkLevel(held float64) (level float64, ok bool) {
	for i := range s.done {
		o := &s.done[i]
		if o.Purpose == Capacity {
			continue
		}
		switch s.Verdict(o) {
		case Fail:
			return level, ok
		case Pass:
			if v := o.Level(); v > level && math.Abs(v-held) >= wellBelow*held {
				level, ok = v, true
			}
		}
	}
	return level, ok
}

// trial returns the trial of a level.
func (s *state) trial(level float64, purpose Purpose) Trial {
	t := Trial{Purpose: purpose, Threads: s.MaxInflight, Settle: s.scaled(settle), Duration: s.length(level), Blocks: blocksOfTrial}
	if purpose == Capacity {
		t.Settle, t.Duration = s.scaled(firstSettle), s.scaled(trialLength)
		return t
	}
	if s.Control == Threads {
		t.Threads = int(level)
	} else {
		t.Rate = level
		t.Backlog = level * max(backlogLength, 2*s.slowest()).Seconds()
	}
	switch {
	case purpose == Bisect, purpose == Refine:
		t.Duration = max(t.Duration, s.scaled(nearLength))
	case purpose == Floor:
		t.Duration = min(t.Duration, s.scaled(longestFloor))
	}
	if level > s.highest && purpose != Floor {
		t.Settle = s.scaled(firstSettle)
	}
	if purpose == Hold || purpose == Confirm {
		t.Duration = max(t.Duration, s.holdLength())
		if purpose == Confirm {
			t.Duration = max(t.Duration, s.scaled(confirmLength))
		}
		t.Blocks = int(t.Duration / s.scaled(time.Second))
	}
	if n := len(s.done); n > 0 && (s.done[n-1].Purpose == Capacity || s.done[n-1].Level() > level) {
		t.Drain = s.scaled(idle)
	}
	return t
}

// length returns how long a level is measured: until there are enough operations for the strictest objective, within limits.
func (s *state) length(level float64) time.Duration {
	want := 1000.0
	for _, o := range s.Objectives {
		want = max(want, minimalCount/o.Allowed)
	}
	rate := level
	if s.Control == Threads && s.capacity != nil {
		rate = s.capacity.Achieved * level / float64(s.MaxInflight)
	}
	return min(max(s.scaled(trialLength), time.Duration(want/max(rate, 1e-3)*float64(time.Second)).Round(s.scaled(time.Second))), s.scaled(longestTrial))
}
