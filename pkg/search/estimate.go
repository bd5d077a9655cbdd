package search

import (
	"math"
	"slices"
)

const (
	lowLoad     = 0.65 // of the estimate: what is bad up to that is the store's own tail
	fewBad      = 3.0  // bad operations that count little
	maxBase     = 0.9  // of the share allowed: what the fit takes for the own tail at most
	wideWindow  = 0.25 // logarithm of the farthest load from the estimate that counts for the drift
	followDrift = 0.97 // probability of a drift above which trials follow it: a few trials at falling loads look like a drift
)

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
		if data := s.data(i, around, s.drift, window); len(data) > 0 {
			list = append(list, posteriorOf(data, s.law(i, around), around, s.drift))
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

// misfit is how much wider the interval of an estimate is than that of the posterior, in logarithms. The posterior takes the odds of a
// bad operation as a straight line, but queues do not follow one. TestFreshSeeds measures it.
const misfit = 1.7

// minMargin is how far the ends of an interval of 95% are from the estimate at least, as logarithms: what makes whole trials fast or slow
// averages out only over trials; there are few, and hardly any is as slow as the trials that decide about the long run.
const minMargin = 0.03

// interval returns the estimate and its interval.
func (s *state) interval(confidence float64) (estimate, low, high float64) {
	tail := (1 - confidence) / 2
	estimate = s.quantile(0.5)
	least := minMargin * math.Erfinv(confidence) / math.Erfinv(0.95)
	below := max(least, misfit*math.Log(estimate/s.quantile(tail)))
	above := max(least, misfit*math.Log(s.quantile(1-tail)/estimate))
	return estimate, estimate * math.Exp(-below), estimate * math.Exp(above)
}

// base returns the share of operations that are bad at any load, as those at low loads are. Few of them say little.
func (s *state) base(objective int, around float64) float64 {
	tail, allowed := s.tail(objective, around), s.Objectives[objective].Allowed
	return min(tail.Bad/(tail.Operations+fewBad/allowed), maxBase*allowed)
}

// law returns the law of an objective around a load.
func (s *state) law(objective int, around float64) law {
	return law{s.Objectives[objective].Allowed, s.base(objective, around)}
}

// tail returns the counts of trials at low loads.
func (s *state) tail(objective int, around float64) (n Count) {
	for _, o := range s.valid() {
		if o.Level() <= lowLoad*around && !o.Aborted {
			n.add(s.total(o, objective))
		}
	}
	return n
}

// medianLoad returns the median of the loads near the boundary.
func (s *state) medianLoad() float64 {
	var list []float64
	for _, o := range s.valid() {
		if o.Purpose != Floor && o.Purpose != Bracket {
			list = append(list, o.Level())
		}
	}
	if list == nil {
		return 1
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// findDrift finds the drift of the objective that is no longer met first, and follows it if that is certain enough.
func (s *state) findDrift() {
	_, binding := s.crossing()
	around := s.medianLoad()
	s.motion = motionOf(s.data(binding, around, 0, wideWindow), s.law(binding, around), around)
	if s.motion.probability > followDrift || len(s.holds) > 0 && s.motion.certain() {
		s.drift = s.motion.perSecond
	}
}

// moving returns the relative change of the boundary in a minute; 0: none is certain.
func (s *state) moving() float64 {
	if !s.motion.certain() {
		return 0
	}
	return math.Expm1(60 * s.motion.perSecond)
}

// data returns the trials within a distance of a load, which moves with time by drift: the change of its logarithm in a second.
func (s *state) data(objective int, around, drift, distance float64) (list []datum) {
	center := math.Log(around)
	for _, o := range s.valid() {
		n, x, at := s.total(o, objective), math.Log(o.Level()), s.middle[o]-s.spent.Seconds()
		if n.Operations > 0 && math.Abs(x-drift*at-center) <= distance {
			list = append(list, datum{x, n.Operations, n.Bad, o.Duration.Seconds() / s.scaled(nearLength).Seconds(), at, o})
		}
	}
	return list
}
