package search

import (
	"math"
	"math/rand/v2"
)

// Next returns the next trial of a search that has performed the given ones; ok is false at its end.
func (c *Config) Next(done []Observation) (t Trial, ok bool) {
	s := c.state(done)
	level, purpose := s.next()
	if purpose == "" {
		return Trial{}, false
	}
	return s.trial(level, purpose), true
}

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
	if bisected < bisections && (limited || last.Purpose == Bracket || s.Verdict(last) != Undecided) && len(s.explored) < bisections+maxNear {
		if level := s.level(math.Sqrt(low * high)); level > low && level < high {
			return level, Bisect
		}
	}
	if limited || s.invalid(s.explored, Refine) >= maxInvalid || s.settled() {
		return 0, ""
	}
	rng := rand.New(rand.NewPCG(s.Seed, uint64(len(s.done))))
	level = s.level(s.estimate() * math.Exp(scatter*(2*rng.Float64()-1)))
	if limit := s.limit(); level >= limit {
		level = s.level(limit * (1 - belowLimit))
	}
	return max(level, s.floorLevel()), Refine
}

// rise returns the next load of the bracket while nothing has failed.
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

// invalid returns the number of invalid trials of a purpose.
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
	if near < minNear && refined < maxRefined {
		return false
	}
	return refined >= maxRefined || near >= maxNear || s.quantile(0.975)-s.quantile(0.025) < narrow*estimate
}

// afterHold returns the trial that follows the last one of purpose Hold.
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
	if level < s.floorLevel() || s.invalid(s.holds, Hold) >= maxInvalid || s.spent+s.trial(level, Hold).Length() > s.Budget {
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
