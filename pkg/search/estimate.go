package search

import (
	"math"
	"slices"
	"time"
)

// valid returns the trials that say something about the boundary.
func (s *state) valid() (list []*Observation) {
	for _, o := range slices.Concat(s.floor, s.explored, s.holds, s.confirms) {
		if !o.ClientLimited {
			list = append(list, o)
		}
	}
	return list
}

// steps returns the non-decreasing fit of an objective.
func (s *state) steps(objective int) []step {
	var samples []sample
	for _, o := range s.valid() {
		samples = append(samples, sample{o.Level(), s.total(o, objective)})
	}
	return isotonic(samples)
}

// crossing returns the load at which the non-decreasing fit of the first objective crosses what is allowed, and that objective.
func (s *state) crossing() (level float64, binding int) {
	level = math.Inf(1)
	for i, o := range s.Objectives {
		if steps := s.steps(i); len(steps) > 0 {
			if r := root(steps, o.Allowed); r < level || r == level && o.Limit == 0 { // what failed is bad for limits of time too
				level, binding = r, i
			}
		}
	}
	return level, binding
}

// quantile returns a quantile of the load at which the first objective is no longer met.
func (s *state) quantile(q float64) float64 {
	crossing, _ := s.crossing()
	if s.fits == nil {
		s.fits = s.fit(crossing)
		if len(s.fits) > 0 {
			s.findDrift()
			s.fits = s.fit(s.quantile(0.5)) // again, with what is near the better estimate
			s.fits = s.fit(s.quantile(0.5))
		}
	}
	if len(s.fits) == 0 {
		return crossing
	}
	level := math.Inf(1)
	for _, p := range s.fits {
		level = min(level, p.at(q))
	}
	return level
}

// fit returns the posteriors of the objectives about which trials near a load say something.
func (s *state) fit(around float64) []*posterior {
	list := []*posterior{}
	for i := range s.Objectives {
		if p := posteriorOf(s, i, around, s.drift); p != nil {
			list = append(list, p)
		}
	}
	return list
}

// estimate returns the load at which the first objective is no longer met.
func (s *state) estimate() float64 {
	if _, high, limited := s.bounds(); high == 0 || limited {
		level, _ := s.crossing()
		return level // the highest load that passed
	}
	return s.quantile(0.5)
}

// held returns the trial in which a load was held; nil: none was.
func (s *state) held() *Observation {
	if n := len(s.holds); n > 0 && s.meets(s.holds[n-1]) {
		return s.holds[n-1]
	}
	return nil
}

// describe fills in what the fit shows about the boundary.
func (s *state) describe(r *Result) {
	_, binding := s.crossing()
	objective := s.Objectives[binding]
	r.Binding = objective.String()
	_, low, high := s.interval(0.95)
	r.Boundary.CI, r.Boundary.Type = []float64{low, high}, Smooth
	below, above := 0.0, math.Inf(1)
	for _, step := range s.steps(binding) {
		if step.Share() <= objective.Allowed/10 {
			below = step.high
		}
		if step.Share() >= 10*objective.Allowed {
			above = min(above, step.low)
		}
	}
	if above <= below*(1+narrow) {
		r.Boundary.Type = Cliff
	}
}

// misfit is how much wider the interval of an estimate is than that of the posterior, in logarithms. The posterior takes the odds of a bad operation
// as a straight line, which those of queues are not. TestFreshSeeds measures it.
const misfit = 1.7

// leastMargin is how far the ends of an interval of 95 % are from the estimate at least, as logarithms: what makes whole trials fast or slow
// averages out over trials only, of which there are few, and few are as slow as those that decide about the long run.
const leastMargin = 0.03

// interval returns the estimate and its interval.
func (s *state) interval(confidence float64) (estimate, low, high float64) {
	tail := (1 - confidence) / 2
	estimate = s.quantile(0.5)
	least := leastMargin * math.Erfinv(confidence) / math.Erfinv(0.95)
	below := max(least, misfit*math.Log(estimate/s.quantile(tail)))
	above := max(least, misfit*math.Log(s.quantile(1-tail)/estimate))
	return estimate, estimate * math.Exp(-below), estimate * math.Exp(above)
}

// slowest returns the longest time that an objective allows.
func (s *state) slowest() (d time.Duration) {
	for _, o := range s.Objectives {
		d = max(d, o.Limit)
	}
	return d
}

// limit returns the lowest level at which the client was the bottleneck; infinite: at none.
func (s *state) limit() float64 {
	limit := math.Inf(1)
	for _, o := range s.done {
		if o.ClientLimited && o.Purpose != Capacity {
			limit = min(limit, o.Level())
		}
	}
	return limit
}
