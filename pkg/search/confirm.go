package search

import (
	"math"
	"time"
)

// That nothing speaks against a boundary is not enough: trials near it see few bad periods and little drift. The low end of its interval is
// held for minutes, and must meet the objectives there.

const (
	mostConfirmed = 2    // confirmations
	stray         = 1.5  // times the share allowed, up to which a confirmation may have chanced upon bad seconds: a lower load gets another
	apart         = 0.01 // least relative distance of the two
	trendBlocks   = 24   // parts of a confirmation that are compared
	trendCertain  = 2.58 // standard deviations of their order: 1 of 100 without a trend
)

// reserve returns the time that is kept for a second load to hold and for the confirmation, as far as the budget has room for that.
func (c *Config) reserve() time.Duration {
	again, confirm := c.scaled(settle)+c.holdLength(), c.scaled(idle+settle+confirmLength)
	if c.Confirm && c.Budget >= 2*c.leastBudget()+again+confirm {
		return again + confirm
	}
	return min(again, c.Budget-c.leastBudget())
}

// confirmLevel returns the load of the next confirmation: the low end of the interval, and no more than what was held. ok is false if
// there is none: it is known whether the boundary is claimed, or the time is too short.
func (s *state) confirmLevel(held *Observation) (level float64, ok bool) {
	if !s.Confirm || len(s.confirms) >= mostConfirmed || !s.boundary() {
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

// boundary reports whether a load failed by the store's fault.
func (s *state) boundary() bool {
	_, high, limited := s.bounds()
	return high > 0 && !limited
}

// confirmation returns the last confirmation; nil: there was none.
func (s *state) confirmation() *Observation {
	if n := len(s.confirms); n > 0 {
		return s.confirms[n-1]
	}
	return nil
}

// confirmed reports whether a confirmation met the objectives, early and late.
func (s *state) confirmed(o *Observation) bool { return s.meets(o) && s.trend(o) == 0 }

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

// Confirmation returns the index of the trial that confirms the boundary, or that shows that it does not hold; -1: there was none.
func (r *Record) Confirmation() (trial int, confirmed bool) {
	s := r.Config.state(r.Trials)
	last := s.confirmation()
	return s.index(last), last != nil && s.confirmed(last)
}

// unconfirmed says what a missing or failed confirmation means for a search that held a load.
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
	case !s.meets(last) && last.inBlocks(binding, badBlock) >= mostlyBad*last.counted(binding).Bad:
		r.Status, r.BadPeriods = Unsteady, []int{s.index(last)}
	}
}

// trend returns by how much the logarithm of the share of bad operations changed in a second of a long trial; 0: not certain. It is
// Kendall's test of the order of equal parts, which one bad second does not decide.
func (s *state) trend(o *Observation) float64 {
	_, binding := s.crossing()
	if binding >= len(o.Counts) || len(o.Counts[binding]) < trendBlocks {
		return 0
	}
	blocks := o.Counts[binding]
	parts, halves := make([]Count, trendBlocks), [2]float64{}
	for i, b := range blocks {
		parts[i*trendBlocks/len(blocks)].add(b)
		halves[2*i/len(blocks)] += b.Bad
	}
	rising := 0.0
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			switch {
			case b.Share() > a.Share():
				rising++
			case b.Share() < a.Share():
				rising--
			}
		}
	}
	const n = float64(trendBlocks)
	if math.Abs(rising) <= trendCertain*math.Sqrt(n*(n-1)*(2*n+5)/18) {
		return 0
	}
	return math.Log((halves[1]+1)/(halves[0]+1)) / (o.Duration.Seconds() / 2)
}

// index returns the place of a trial.
func (s *state) index(o *Observation) int {
	for i := range s.done {
		if o == &s.done[i] {
			return i
		}
	}
	return -1
}
