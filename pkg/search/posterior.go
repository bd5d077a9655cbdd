package search

import (
	"math"
	"slices"
)

// posterior is what trials show about the load at which one objective is no longer met: the probability of each load.
//
// Near the boundary the logarithm of the odds of a bad operation is taken as linear in that of the load. The share of a trial is gamma
// distributed around what belongs to its load, since neither what is common to a trial nor its bad seconds average out; so its number of bad
// operations is negative binomial. Neither the slope nor the spread is known. The prior has most slopes between 8 and 80, as
// those of queues are: without it, trials that lie close together say little about the slope, and the estimate strays. Shares far above
// what is allowed count as equal: in overload the odds follow another law.
type posterior struct {
	x          []float64 // logarithms of loads
	cumulative []float64 // probability of a load up to that
}

const (
	window      = 0.09 // logarithm of the farthest load from the estimate that counts
	reach       = 0.20 // of the loads considered
	points      = 50   // intervals between them
	likelySlope = 25.0 // the middle of the prior
	slopeScale  = 0.4  // of its logarithm, with Student's distribution
	slopeDF     = 3.0  // degrees of freedom: slopes of another order are not excluded
	overloaded  = 15.0 // times the odds allowed: higher ones count as that
	widening    = 0.3  // exponent by which the relative variance of shares falls with their odds
	persistent  = 0.4  // part of the relative variance that longer trials do not average out
)

// datum is a trial in the posterior.
type datum struct {
	x, operations, bad float64
	length             float64 // relative to that of trials near the boundary
}

// posteriorOf returns the posterior of an objective around a first estimate; nil if no trial is near.
func posteriorOf(s *state, objective int, around float64) *posterior {
	center, allowed := math.Log(around), s.Objectives[objective].Allowed
	var data []datum
	for _, o := range s.valid() {
		n, x := s.total(o, objective), math.Log(o.Level())
		if n.Operations > 0 && math.Abs(x-center) <= window {
			data = append(data, datum{x, n.Operations, n.Bad, o.Duration.Seconds() / s.scaled(nearLength).Seconds()})
		}
	}
	if len(data) == 0 {
		return nil
	}
	p := &posterior{}
	var likelihoods [][]float64
	best := math.Inf(-1)
	for i := range points + 1 {
		x := center + reach*(2*float64(i)/points-1)
		list := likelihoodsAt(x, allowed, data)
		p.x, likelihoods, best = append(p.x, x), append(likelihoods, list), max(best, slices.Max(list))
	}
	total := 0.0
	for _, list := range likelihoods {
		for _, l := range list {
			total += math.Exp(l - best)
		}
		p.cumulative = append(p.cumulative, total)
	}
	for i := range p.cumulative {
		p.cumulative[i] /= total
	}
	return p
}

// likelihoodsAt returns logarithms of the likelihood of trials if a load is the boundary, for slopes and spreads of any order.
func likelihoodsAt(x, allowed float64, data []datum) (list []float64) {
	for slope := 3.0; slope < 300; slope *= 1.6 {
		z := math.Log(slope/likelySlope) / slopeScale
		prior := -(slopeDF + 1) / 2 * math.Log1p(z*z/slopeDF)
		for spread := 0.06; spread < 5; spread *= 2.5 {
			l := prior
			for i := range data {
				l += data[i].likelihood(allowed, slope*(data[i].x-x), spread)
			}
			list = append(list, l)
		}
	}
	return list
}

// likelihood returns the logarithm of the likelihood of the bad operations of the trial, up to a constant, where their odds are exp(odds)
// times those allowed, and spread is the relative variance of the share of a trial at the boundary.
func (d *datum) likelihood(allowed, odds, spread float64) float64 {
	times := min(math.Exp(odds), overloaded)
	mean := d.operations * shareOf(allowed, times)
	bad := min(d.bad, d.operations*shareOf(allowed, overloaded))
	shape := math.Pow(times, widening) / (spread * (persistent + (1-persistent)/d.length))
	return logGamma(bad+shape) - logGamma(shape) + shape*math.Log(shape/(shape+mean)) + bad*math.Log(mean/(shape+mean))
}

// shareOf returns the share whose odds are so many times those of another one.
func shareOf(allowed, times float64) float64 { return allowed * times / (1 + allowed*(times-1)) }

func logGamma(v float64) float64 { l, _ := math.Lgamma(v); return l }

// at returns a quantile.
func (p *posterior) at(q float64) float64 {
	i, _ := slices.BinarySearch(p.cumulative, q)
	if i = min(i, len(p.x)-1); i == 0 {
		return math.Exp(p.x[0])
	}
	part := (q - p.cumulative[i-1]) / (p.cumulative[i] - p.cumulative[i-1])
	return math.Exp(p.x[i-1] + part*(p.x[i]-p.x[i-1]))
}
