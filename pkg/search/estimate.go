package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"warp/pkg/compare"
)

// samples returns the trials as samples of an objective.
func (s *state) samples(objective int) (list []sample) {
	for _, o := range slices.Concat(s.floor, s.explored, s.holds) {
		if !o.ClientLimited {
			list = append(list, sample{o.Level(), s.total(o, objective)})
		}
	}
	return list
}

// estimate returns the load at which the first objective is no longer met.
func (s *state) estimate() float64 {
	level, _ := s.estimateOf(nil)
	return level
}

// cautious returns the load to hold first: below the estimate, the more so the less certain it is.
func (s *state) cautious() float64 {
	if _, high, limited := s.bounds(); high == 0 || limited {
		return s.estimate() // the highest load that passed
	}
	levels := s.estimates()
	return min(levels[int(caution*float64(len(levels)))], s.estimate())
}

// estimateOf returns the estimate from trials that count as often as weights say, and the objective that binds.
func (s *state) estimateOf(weights []float64) (level float64, binding int) {
	level = math.Inf(1)
	for i, o := range s.Objectives {
		if steps := isotonic(s.samples(i), weights); len(steps) > 0 {
			if r := root(steps, o.Allowed); r < level || r == level && o.Limit == 0 { // what failed is bad for limits of time too
				level, binding = r, i
			}
		}
	}
	return level, binding
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
