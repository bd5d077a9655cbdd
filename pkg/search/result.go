package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"warp/pkg/compare"
)

// Status is what a search has come to.
type Status string

// What a search has come to.
const (
	Held          Status = "held"           // a load was held, and a higher one was not
	ClientLimited Status = "client-limited" // a load was held, and above it the client was the bottleneck
	Unlimited     Status = "unlimited"      // a load was held, and no higher one could be set
	Infeasible    Status = "infeasible"     // not even the lowest load meets the objectives
	Incomplete    Status = "incomplete"     // there was too little time: nothing was held, or nothing failed yet
)

// BoundaryType is how the share of bad operations rises at the boundary.
type BoundaryType string

// How the share of bad operations rises.
const (
	Smooth BoundaryType = "smooth"
	Cliff  BoundaryType = "cliff" // within 5 % of the load from a tenth of what is allowed to ten times that
)

// Result is what the trials of a search show.
type Result struct {
	Status      Status        `json:"status"`
	Boundary    Boundary      `json:"boundary"`
	Binding     string        `json:"binding,omitempty"`      // objective that fails first
	ClientLimit float64       `json:"client_limit,omitempty"` // lowest load at which the client was the bottleneck
	Hysteresis  bool          `json:"hysteresis,omitempty"`   // a load that passed before any failed does not pass any more
	Trials      []TrialResult `json:"trials"`
	Spent       time.Duration `json:"spent_ns"`
}

// Boundary is where objectives are no longer met: operations per second, or threads.
type Boundary struct {
	Held       float64      `json:"held_per_sec"`
	Infeasible float64      `json:"infeasible_per_sec,omitempty"` // lowest load above it that failed
	Type       BoundaryType `json:"type,omitempty"`
	CI         []float64    `json:"ci,omitempty"` // 95 % interval of the estimate
}

// TrialResult is a trial and what it shows by itself.
type TrialResult struct {
	Observation
	Verdict Verdict `json:"verdict"`
}

// Result returns what the trials of a search show, whether it has ended or not.
func (c *Config) Result(done []Observation) Result {
	s := c.state(done)
	r := Result{Status: Incomplete, Spent: s.spent}
	for _, o := range done {
		r.Trials = append(r.Trials, TrialResult{o, c.Verdict(&o)})
	}
	if limit := s.limit(); !math.IsInf(limit, 1) {
		r.ClientLimit = limit
	}
	if len(s.floor) == 0 {
		return r
	}
	if s.infeasible() {
		if last := s.floor[len(s.floor)-1]; last.ClientLimited {
			r.Status = ClientLimited
		} else {
			r.Status, r.Binding = Infeasible, c.worst(last)
		}
		return r
	}
	_, high, limited := s.bounds()
	if high > 0 && !limited {
		s.describe(&r)
	}
	held := s.held()
	if held == nil {
		return r
	}
	r.Boundary.Held = held.Level()
	switch {
	case limited:
		r.Status = ClientLimited
	case high > 0:
		r.Status = Held
	case c.Control == Threads && held.Threads == c.MaxInflight:
		r.Status = Unlimited
	}
	for i := range done {
		if o, v := &done[i], r.Trials[i].Verdict; v == Fail && o.Purpose != Capacity && o.Purpose != Hysteresis && o.Level() > held.Level() &&
			(r.Boundary.Infeasible == 0 || o.Level() < r.Boundary.Infeasible) {
			r.Boundary.Infeasible = o.Level()
		}
	}
	r.Hysteresis = s.check != nil && c.Verdict(s.check) == Fail
	return r
}

// held returns the trial in which a load was held; nil: none was.
func (s *state) held() *Observation {
	if n := len(s.holds); n > 0 && s.meets(s.holds[n-1]) {
		return s.holds[n-1]
	}
	return nil
}

// worst returns the objective that a trial misses by the largest factor.
func (c *Config) worst(o *Observation) (name string) {
	most := 0.0
	for i, obj := range c.Objectives {
		if v := o.Total(i).Share() / obj.Allowed; v > most {
			name, most = obj.String(), v
		}
	}
	return name
}

// describe fills in what the fit shows about the boundary.
func (s *state) describe(r *Result) {
	_, binding := s.estimateOf(nil)
	objective := s.Objectives[binding]
	r.Binding = objective.String()
	ci := s.interval()
	r.Boundary.CI, r.Boundary.Type = ci[:], Smooth
	steps := isotonic(s.samples(binding), nil)
	for i := 1; i < len(steps); i++ {
		below, above := steps[i-1], steps[i]
		if above.Share() <= objective.Allowed {
			continue
		}
		if below.Share() <= objective.Allowed/10 && above.Share() >= 10*objective.Allowed && above.low <= below.high*(1+narrow) {
			r.Boundary.Type = Cliff
		}
		break
	}
}

// replicates is how many times trials are drawn anew for an interval.
const replicates = 400

// interval returns the 95 % interval of the estimate.
func (s *state) interval() [2]float64 {
	levels := s.estimates()
	tail := len(levels) / 40
	return [2]float64{levels[tail], levels[len(levels)-1-tail]}
}

// estimates returns what would be estimated from trials drawn anew, in ascending order: the bootstrap of whole trials, since what is
// common to a trial does not average out within it.
func (s *state) estimates() []float64 {
	n := len(s.samples(0))
	rng := rand.New(rand.NewPCG(s.Seed, uint64(n)))
	weights, levels := make([]float64, n), make([]float64, 0, replicates)
	for range replicates {
		compare.Resample(rng, 1, weights)
		level, _ := s.estimateOf(weights)
		levels = append(levels, level)
	}
	slices.Sort(levels)
	return levels
}
