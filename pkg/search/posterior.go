package search

import (
	"math"
	"slices"
)

// posterior is the probability, after some trials, of each load to be the one from which an objective is missed.
//
// A part of operations is bad at any load: the store's own tail, which trials at low loads show. The share of the others rises, near
// the boundary, with a power of the load. It is gamma distributed around what belongs to the load of a trial, since neither what is
// common to a trial nor its bad seconds average out; so the number of bad operations is negative binomial. Neither the power nor the
// spread is known. The prior has most powers between 8 and 80, as queues do: without it, trials that lie close together say
// little about the power, and the estimate strays. Shares far above what is allowed count as equal: in overload they follow another
// law.
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
	minSlope    = 3.0  // of those considered
	slopeFactor = 1.6  // between them
	overloaded  = 15.0 // times the share allowed: higher ones count as that
	widening    = 0.3  // the relative variance of shares falls with this power of them
	persistent  = 0.4  // part of the relative variance that longer trials do not average out
)

// Tables of likelihoods are over the logarithm of the share, relative to that at the boundary.
const (
	lowestOdds = -6.0
	oddsStep   = 0.08
)

var (
	highestOdds = math.Log(overloaded)
	oddsSteps   = int(math.Ceil((highestOdds-lowestOdds)/oddsStep)) + 1
)

// datum is a trial in the posterior.
type datum struct {
	x, operations, bad float64
	length             float64 // relative to that of trials near the boundary
	at                 float64 // seconds from now, as a negative number
	of                 *Observation
}

// law is the share of bad operations by load.
type law struct{ allowed, base float64 }

// posteriorOf returns the posterior of trials around a first estimate; there must be some.
func posteriorOf(data []datum, l law, around, drift float64) *posterior {
	f := newFit(data, l)
	p := &posterior{}
	var likelihoods [][]float64
	best := math.Inf(-1)
	for i := range points + 1 {
		x := math.Log(around) + reach*(2*float64(i)/points-1)
		list := f.likelihoods(x, drift)
		p.x, likelihoods, best = append(p.x, x), append(likelihoods, list), max(best, slices.Max(list))
	}
	total := 0.0
	for _, list := range likelihoods {
		total += sumExp(list, best)
		p.cumulative = append(p.cumulative, total)
	}
	for i := range p.cumulative {
		p.cumulative[i] /= total
	}
	return p
}

// sumExp returns the sum of exponentials, relative to that of the highest.
func sumExp(list []float64, highest float64) (sum float64) {
	for _, l := range list {
		sum += math.Exp(l - highest)
	}
	return sum
}

// fit is trials, and tables of how likely each is.
type fit struct {
	data   []datum
	tables [][][]float64 // by spread and trial, over the logarithm of the share
}

func newFit(data []datum, l law) *fit {
	f := &fit{data: data}
	for spread := 0.06; spread < 5; spread *= 2.5 {
		var tables [][]float64
		for i := range data {
			table := make([]float64, oddsSteps+1)
			for k := range table {
				table[k] = data[i].likelihood(l, min(lowestOdds+oddsStep*float64(k), highestOdds), spread)
			}
			tables = append(tables, table)
		}
		f.tables = append(f.tables, tables)
	}
	return f
}

// likelihoods returns logarithms of the likelihood of the trials if the boundary is at a load now, for slopes and spreads of any order.
func (f *fit) likelihoods(x, drift float64) (list []float64) {
	for slope := minSlope; slope < 300; slope *= slopeFactor {
		z := math.Log(slope/likelySlope) / slopeScale
		prior := -(slopeDF + 1) / 2 * math.Log1p(z*z/slopeDF)
		for _, tables := range f.tables {
			l := prior
			for i := range f.data {
				d := &f.data[i]
				place := (min(max(slope*(d.x-x-drift*d.at), lowestOdds), highestOdds) - lowestOdds) / oddsStep
				k := int(place)
				part := place - float64(k)
				l += tables[i][k]*(1-part) + tables[i][k+1]*part
			}
			list = append(list, l)
		}
	}
	return list
}

// likelihood returns the logarithm of the likelihood of the bad operations of the trial, up to a constant, where the share beyond the
// store's own tail is exp(odds) times that at the boundary, and spread is the relative variance of it in a trial at the boundary.
func (d *datum) likelihood(l law, odds, spread float64) float64 {
	times := math.Exp(odds)
	excess := d.operations * (l.allowed - l.base) * times
	mean := excess + d.operations*l.base
	bad := min(d.bad, d.operations*(l.base+(l.allowed-l.base)*overloaded))
	shape := math.Pow(times, widening) / (spread * (persistent + (1-persistent)/d.length)) * (mean / excess) * (mean / excess)
	return logGamma(bad+shape) - logGamma(shape) + shape*math.Log(shape/(shape+mean)) + bad*math.Log(mean/(shape+mean))
}

// expected returns the share of bad operations at the logarithm of a load, by what is most likely.
func (f *fit) expected(l law, around, at float64) float64 {
	best, share := math.Inf(-1), 0.0
	for i := range points + 1 {
		x := math.Log(around) + reach*(2*float64(i)/points-1)
		for k, likelihood := range f.likelihoods(x, 0) {
			if likelihood > best {
				slope := minSlope * math.Pow(slopeFactor, float64(k/len(f.tables)))
				best, share = likelihood, l.base+(l.allowed-l.base)*min(math.Exp(slope*(at-x)), overloaded)
			}
		}
	}
	return share
}

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
