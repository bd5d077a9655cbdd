package search

import "time"

// Status is the outcome of a search.
type Status string

// Outcomes of searches.
const (
	Held          Status = "held"           // a load was held, and a higher one was not
	ClientLimited Status = "client-limited" // a load was held, and above it the client was the bottleneck
	Unlimited     Status = "unlimited"      // a load was held, and no higher one could be set
	Infeasible    Status = "infeasible"     // not even the lowest load meets the objectives
	Incomplete    Status = "incomplete"     // too little time: nothing was held, nothing failed, or nothing confirms the boundary
	NearTail      Status = "near-tail"      // at low loads already half of what is allowed is bad, so chance decides about the boundary
	Drifting      Status = "drifting"       // the store got slower, or faster, during the search
	Unsteady      Status = "unsteady"       // a bad period decided about the boundary, and how often they come is not known
	Unconfirmed   Status = "unconfirmed"    // a load was held, but not the low end of the boundary's interval for minutes
)

// Answered reports whether the search found a load that the store holds, and what keeps it from more.
func (s Status) Answered() bool { return s == Held || s == Unlimited }

// atLeast reports whether the store may be able to do more than what was held.
func (s Status) atLeast() bool { return s == ClientLimited || s == Unlimited || s == Incomplete }

// AtLeast returns the load that was held if the store may be able to do more; otherwise 0.
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
	Cliff  BoundaryType = "cliff" // within 5% of the load from a tenth of what is allowed to ten times that
)

// Result is the result of a search.
type Result struct {
	Status      Status        `json:"status"`
	Boundary    Boundary      `json:"boundary"`
	Binding     string        `json:"binding,omitempty"`      // objective that fails first
	ClientLimit float64       `json:"client_limit,omitempty"` // lowest load at which the client was the bottleneck
	Hysteresis  bool          `json:"hysteresis,omitempty"`   // a load that passed before any failed does not pass any more
	Passed      float64       `json:"passed,omitempty"`       // if nothing was held: the highest load that passed
	Tail        float64       `json:"tail,omitempty"`         // share of bad operations at low loads, for the objective that binds
	TailCI      []float64     `json:"tail_ci,omitempty"`      // 95% interval of Tail: what was counted at low loads may be little
	Drift       float64       `json:"drift,omitempty"`        // of the boundary in a minute: -0.02 is 2% less; 0: none is certain
	BadPeriods  []int         `json:"bad_periods,omitempty"`  // indexes of the trials that a bad period decided
	Unseen      time.Duration `json:"unseen_ns,omitempty"`    // bad periods that come less often than this may have been missed
	Trials      []TrialResult `json:"trials"`
	Spent       time.Duration `json:"spent_ns"`
}

// Boundary is where objectives are no longer met: operations per second, or threads.
type Boundary struct {
	Held       float64      `json:"held_per_sec"`
	Infeasible float64      `json:"infeasible_per_sec,omitempty"` // lowest load above it that failed
	Type       BoundaryType `json:"type,omitempty"`
	CI         []float64    `json:"ci,omitempty"` // 95% interval of the estimate
}

// TrialResult is a trial and what it shows by itself.
type TrialResult struct {
	Observation
	Verdict Verdict `json:"verdict"`
}
