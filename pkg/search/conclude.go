package search

import "math"

// Result returns the result of a search by its trials so far.
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
	if held := s.held(); held != nil {
		s.describeHeld(&r, held, high, limited)
	} else {
		s.describeUnheld(&r, high)
	}
	return r
}

// describeHeld sets the result of a search that held a load. high and limited are results of bounds.
func (s *state) describeHeld(r *Result, held *Observation, high float64, limited bool) {
	r.Boundary.Held = held.Level()
	switch {
	case limited:
		r.Status = ClientLimited
	case high > 0:
		r.Status = Held
	case s.Control == Threads && held.Threads == s.MaxInflight:
		r.Status = Unlimited
	}
	r.Boundary.Infeasible = r.failedAbove(held.Level())
	r.Hysteresis = s.check != nil && s.Verdict(s.check) == Fail
	s.doubt(r)
	s.unconfirmed(r)
	if r.Status != Held {
		r.Boundary.CI, r.Boundary.Type = nil, ""
	}
}

// failedAbove returns the lowest load above one that failed; 0 if there is none.
func (r *Result) failedAbove(held float64) (lowest float64) {
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Verdict != Fail || t.Purpose == Capacity || t.Purpose == Hysteresis || t.Level() <= held {
			continue
		}
		if lowest == 0 || t.Level() < lowest {
			lowest = t.Level()
		}
	}
	return lowest
}

// describeUnheld sets the result of a search that held no load; high is the lowest load that failed, or 0.
func (s *state) describeUnheld(r *Result, high float64) {
	r.Drift = s.moving()
	if n := len(s.holds); n > 0 && s.holds[n-1].ClientLimited {
		r.Status = ClientLimited
	}
	for i := range r.Trials {
		if t := &r.Trials[i]; t.Verdict == Pass && t.Purpose != Capacity && (high == 0 || t.Level() < high) {
			r.Passed = max(r.Passed, t.Level())
		}
	}
}

// describeFloor sets the result of a search whose floor did not meet the objectives.
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
