package search

import "math"

// That nothing speaks against a boundary is not enough: trials near it see few bad periods and little drift. The low end of its interval is
// held for minutes, and must meet the objectives there.

// confirmLevel returns the load of the next confirmation: the low end of the interval, and no more than what was held. ok is false if
// there is none: it is known whether the boundary is claimed, or the time is too short.
func (s *state) confirmLevel(held *Observation) (level float64, ok bool) {
	if !s.Confirm || len(s.confirms) >= maxConfirmed || !s.boundary() {
		return 0, false
	}
	_, low, _ := s.interval(0.95)
	level = min(low, held.Level())
	if last := s.confirmation(); last != nil {
		if s.confirmed(last) || !s.strays(last) {
			return 0, false
		}
		level = min(level, last.Level()*(1-apart))
	}
	if level = s.level(level); level < s.floorLevel() || s.spent+s.trial(level, Confirm).Length() > s.Budget {
		return 0, false
	}
	r := Result{Status: Held}
	s.doubt(&r)
	return level, r.Status == Held || r.Status == Unsteady
}

// strays reports whether a confirmation missed the objectives by little, and without a trend.
func (s *state) strays(o *Observation) bool {
	if o.ClientLimited || o.Aborted || s.trend(o) != 0 {
		return false
	}
	for i, obj := range s.Objectives {
		if !s.absent(o, i) && s.total(o, i).Share() > stray*obj.Allowed {
			return false
		}
	}
	return true
}

// unconfirmed sets the result of a search that held a load and lacks a successful confirmation.
func (s *state) unconfirmed(r *Result) {
	last := s.confirmation()
	if !s.Confirm || r.Status != Held || last != nil && s.confirmed(last) {
		return
	}
	if last == nil || last.ClientLimited {
		r.Status = Incomplete
		return
	}
	r.Status = Unconfirmed
	_, binding := s.crossing()
	switch trend := s.trend(last); {
	case trend != 0:
		r.Status, r.Drift = Drifting, math.Expm1(-60*trend/likelySlope)
	case !s.meets(last) && last.inBlocks(binding, badBlock) >= minInBadBlocks*last.totalFor(binding).Bad:
		r.Status, r.BadPeriods = Unsteady, []int{s.index(last)}
	}
}
