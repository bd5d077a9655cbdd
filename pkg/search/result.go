package search

import (
	"math"
	"time"
)

// Status is what a search has come to.
type Status string

// What a search has come to.
const (
	Held          Status = "held"           // a load was held, and a higher one was not
	ClientLimited Status = "client-limited" // a load was held, and above it the client was the bottleneck
	Unlimited     Status = "unlimited"      // a load was held, and no higher one could be set
	Infeasible    Status = "infeasible"     // not even the lowest load meets the objectives
	Incomplete    Status = "incomplete"     // there was too little time: nothing was held, nothing failed yet, or nothing confirms the boundary
	NearTail      Status = "near-tail"      // at low loads already half of what is allowed is bad, so chance decides about the boundary
	Drifting      Status = "drifting"       // the store got slower, or faster, during the search
	Unsteady      Status = "unsteady"       // a bad period decided about the boundary, and how often they come is not known
	Unconfirmed   Status = "unconfirmed"    // a load was held, but not the low end of the boundary's interval for minutes
)

// Answered reports whether the search found a load that the store holds, and what keeps it from more.
func (s Status) Answered() bool { return s == Held || s == Unlimited }

// atLeast reports whether the store may be able to do more than what was held.
func (s Status) atLeast() bool { return s == ClientLimited || s == Unlimited || s == Incomplete }

// doubtful reports whether what was held says little about other times.
func (s Status) doubtful() bool {
	return s == NearTail || s == Drifting || s == Unsteady || s == Unconfirmed
}

// AtLeast returns the load that was held, if the store may be able to do more; else 0.
func (r *Result) AtLeast() float64 {
	if r.Status.atLeast() {
		return r.Boundary.Held
	}
	return 0
}

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
	Passed      float64       `json:"passed,omitempty"`       // if nothing was held: the highest load that passed
	Tail        float64       `json:"tail,omitempty"`         // share of bad operations at low loads, for the objective that binds
	TailCI      []float64     `json:"tail_ci,omitempty"`      // 95 % interval of Tail: what was counted at low loads may be little
	Drift       float64       `json:"drift,omitempty"`        // of the boundary in a minute: -0.02 is 2 % less; 0: none is certain
	BadPeriods  []int         `json:"bad_periods,omitempty"`  // indexes of the trials in which a bad period decided
	Unseen      time.Duration `json:"unseen_ns,omitempty"`    // bad periods that come less often than this may have been missed
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
		s.describeFloor(&r)
		return r
	}
	_, high, limited := s.bounds()
	if high > 0 && !limited {
		s.describe(&r)
	}
	held := s.held()
	if held == nil {
		r.Drift = s.moving()
		if n := len(s.holds); n > 0 && s.holds[n-1].ClientLimited {
			r.Status = ClientLimited
		}
		for i := range r.Trials {
			if t := &r.Trials[i]; t.Verdict == Pass && t.Purpose != Capacity && (high == 0 || t.Level() < high) {
				r.Passed = max(r.Passed, t.Level())
			}
		}
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
	s.doubt(&r)
	s.unconfirmed(&r)
	if r.Status != Held {
		r.Boundary.CI, r.Boundary.Type = nil, ""
	}
	return r
}

// describeFloor says what a floor shows that does not meet the objectives.
func (s *state) describeFloor(r *Result) {
	last := s.floor[len(s.floor)-1]
	switch r.Binding = s.worst(last); s.Verdict(last) {
	case Invalid:
		r.Status, r.Binding = ClientLimited, ""
	case Fail:
		r.Status = Infeasible
	default: // undecided: it may be this side of what is allowed, or the other
		for i := range s.Objectives {
			if s.Objectives[i].String() == r.Binding {
				s.nearTail(r, s.tail(i, last.Level()/lowLoad))
			}
		}
	}
}

// worst returns the objective that a trial misses by the largest factor.
func (c *Config) worst(o *Observation) (name string) {
	most := 0.0
	for i, obj := range c.Objectives {
		if n := c.total(o, i); n.Operations > 0 && n.Share()/obj.Allowed > most {
			name, most = obj.String(), n.Share()/obj.Allowed
		}
	}
	return name
}

// Verdict returns the result of the trial for all objectives together.
func (c *Config) Verdict(o *Observation) Verdict {
	if o.ClientLimited {
		return Invalid
	}
	if o.Aborted {
		return Fail
	}
	result := Pass
	for i, obj := range c.Objectives {
		low, high := c.interval(o, i)
		switch {
		case c.absent(o, i):
		case low > obj.Allowed:
			return Fail
		case high > obj.Allowed:
			result = Undecided
		}
	}
	return result
}

// meets reports whether the pooled shares of a trial meet all objectives.
func (c *Config) meets(o *Observation) bool {
	if o.ClientLimited || o.Aborted {
		return false
	}
	for i, obj := range c.Objectives {
		if !c.absent(o, i) && c.total(o, i).Share() > obj.Allowed {
			return false
		}
	}
	return true
}

// total returns the counts of an objective over all blocks. What an aborted trial did not send would have come too late, and counts as
// bad where time counts: of each kind as many as of those sent.
func (c *Config) total(o *Observation, objective int) Count {
	n := o.counted(objective)
	planned, most := o.Rate*o.Duration.Seconds(), o.most()
	if !o.Aborted || c.Objectives[objective].Limit == 0 || most >= planned {
		return n
	}
	unsent := planned - most
	if most > 0 {
		unsent *= n.Operations / most
	}
	n.add(Count{unsent, unsent})
	return n
}

// absent reports whether a trial had operations, but none that the objective covers: of a kind that is rare or has no share.
func (c *Config) absent(o *Observation, objective int) bool {
	return o.counted(objective).Operations == 0 && o.most() > 0
}

// interval returns Wilson's 95 % interval of the share of bad operations, for the number of independent operations that would vary
// between blocks as much as these did: a bad second has many bad operations at once.
func (c *Config) interval(o *Observation, objective int) (low, high float64) {
	total := c.total(o, objective)
	if total.Operations == 0 {
		return 0, 1
	}
	return wilson(total.Share(), total.Operations/o.inflation(objective, total))
}

// wilson returns Wilson's 95 % interval of a share of n independent operations.
func wilson(p, n float64) (low, high float64) {
	const z = 1.959964
	if p == 0 {
		return 0, z * z / (n + z*z)
	}
	center, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (center-half)/(1+z*z/n)), min(1, (center+half)/(1+z*z/n))
}
