package search

import (
	"math"
	"slices"
	"time"
)

const (
	lowLoad     = 0.65 // of the estimate: what is bad up to that is the store's own tail
	fewBad      = 3.0  // bad operations that count little
	mostBase    = 0.9  // of the share allowed: what the fit takes for the own tail at most
	wideWindow  = 0.25 // logarithm of the farthest load from the estimate that counts for the drift
	leastDrift  = 8    // trials
	noDrift     = 0.9  // probability from the start
	driftSlower = 0.5  // probability from which the store is said to get slower
	driftFaster = 0.9  // or faster: loads rise through the trials of a search that began too low, which looks like that
	followDrift = 0.97 // and from which trials that explore follow it: a few at falling loads look like a drift of the store
)

// base returns the share of operations that are bad at any load, as those at low loads are. Few of them say little.
func (s *state) base(objective int, around float64) float64 {
	tail, allowed := s.tail(objective, around), s.Objectives[objective].Allowed
	return min(tail.Bad/(tail.Operations+fewBad/allowed), mostBase*allowed)
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

// middling returns the median of the loads near the boundary.
func (s *state) middling() float64 {
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

// drifts are changes of the logarithm of the boundary over all trials near it.
var drifts = []float64{0, -0.4, -0.3, -0.22, -0.16, -0.11, -0.07, -0.04, 0.04, 0.07, 0.11, 0.16, 0.22, 0.3, 0.4}

// motionOf returns how the boundary of an objective moves.
func (s *state) motionOf(objective int) motion {
	around := s.middling()
	data := s.data(objective, around, 0, wideWindow)
	if len(data) < leastDrift {
		return motion{}
	}
	first, last := 0.0, math.Inf(-1)
	for i := range data {
		first, last = min(first, data[i].at), max(last, data[i].at)
	}
	span := last - first
	f := newFit(data, law{s.Objectives[objective].Allowed, s.base(objective, around)})
	logs := make([]float64, len(drifts))
	best := math.Inf(-1)
	for k, change := range drifts {
		var all []float64
		for i := range points + 1 {
			all = append(all, f.likelihoods(math.Log(around)+(reach+0.1)*(2*float64(i)/points-1), change/span)...)
		}
		highest := math.Inf(-1)
		for _, l := range all {
			highest = max(highest, l)
		}
		logs[k] = highest + math.Log(sumExp(all, highest))
		best = max(best, logs[k])
	}
	still, moving, mean := noDrift*math.Exp(logs[0]-best), 0.0, 0.0
	for k := 1; k < len(drifts); k++ {
		w := (1 - noDrift) / float64(len(drifts)-1) * math.Exp(logs[k]-best)
		moving, mean = moving+w, mean+w*drifts[k]
	}
	if moving == 0 {
		return motion{}
	}
	return motion{mean / moving / span, moving / (moving + still)}
}

// motion is how a boundary moves with time.
type motion struct {
	perSecond   float64 // change of its logarithm
	probability float64 // that it moves at all
}

// certain reports whether the store is said to drift.
func (m motion) certain() bool {
	if m.perSecond > 0 {
		return m.probability > driftFaster
	}
	return m.probability > driftSlower
}

// findDrift finds the drift of the objective that is no longer met first, and follows it if that is certain enough.
func (s *state) findDrift() {
	_, binding := s.crossing()
	s.motion = s.motionOf(binding)
	if s.motion.probability > followDrift || len(s.holds) > 0 && s.motion.certain() {
		s.drift = s.motion.perSecond
	}
}

const (
	badBlock    = 0.6  // share of bad operations of the blocks of a bad period
	mostlyBad   = 0.74 // share of the bad operations of a trial that are in such blocks
	mostTotal   = 0.8  // share of bad operations of a trial that is overload all along
	beyondLaw   = 4.5  // times the share that the other trials let expect at that load
	mostAbove   = 0.1  // logarithm of the farthest load above the boundary: beyond, bad operations in blocks are overload
	leastOthers = 5    // trials that let expect something
)

// badPeriods returns the trials near a load in which bad periods decided: their bad operations are in few blocks, and are far more than
// what all other trials let expect at that load. How often such a period comes decides about the boundary, and one or two do not show
// that.
func (s *state) badPeriods(objective int, around float64) (list []*Observation) {
	allowed := s.Objectives[objective].Allowed
	l := law{allowed, s.base(objective, around)}
	data := s.data(objective, around, s.drift, wideWindow)
	for i := range data {
		o := data[i].of
		total := s.total(o, objective)
		if o.Purpose == Bracket || data[i].x-s.drift*data[i].at > math.Log(around)+mostAbove || total.Share() < beyondLaw*allowed || total.Share() > mostTotal || o.inBlocks(objective, badBlock) < mostlyBad*total.Bad || len(data) <= leastOthers {
			continue
		}
		others := slices.Delete(slices.Clone(data), i, i+1)
		if total.Share() > beyondLaw*newFit(others, l).expected(l, around, data[i].x-s.drift*data[i].at) {
			list = append(list, o)
		}
	}
	return list
}

// inBlocks returns how many bad operations of a trial are in blocks with at least a share of them.
func (o *Observation) inBlocks(objective int, share float64) (bad float64) {
	for _, b := range o.Counts[objective] {
		if b.Operations > 0 && b.Share() >= share {
			bad += b.Bad
		}
	}
	return bad
}

// moving returns the relative change of the boundary in a minute; 0: none is certain.
func (s *state) moving() float64 {
	if !s.motion.certain() {
		return 0
	}
	return math.Expm1(60 * s.motion.perSecond)
}

const (
	tailHalf    = 0.5  // of the share allowed: with more of that at low loads the objective is too near to the store's own tail
	tailCertain = 0.25 // of it is the low end of the interval of what was counted at low loads
	tailMost    = 0.75 // of it is the high end at most: that the own tail is small has to be shown
	oftenEnough = 3    // times that something must be expected to be seen with a probability of 95 %
)

// interval returns the 95 % interval of the share of bad operations, if they are independent.
func (c Count) interval() (low, high float64) {
	if c.Operations == 0 {
		return 0, 1
	}
	return wilson(c.Share(), c.Operations)
}

// nearTail says that the objective is too near to the store's own tail, or not known to be far from it.
func (s *state) nearTail(r *Result, tail Count) {
	r.Status, r.Tail = NearTail, tail.Bad/max(1, tail.Operations)
	low, high := tail.interval()
	r.TailCI = []float64{low, high}
}

// doubt says what speaks against the result of a search that held a load. What was held in that time was held, but the boundary is not
// claimed.
func (s *state) doubt(r *Result) {
	around, near := s.estimate(), 0.0
	for _, o := range s.valid() {
		if math.Abs(math.Log(o.Level()/around)) <= mostAbove && o.Purpose != Bracket {
			near += o.Duration.Seconds()
		}
	}
	r.Unseen = time.Duration(near / oftenEnough * float64(time.Second)).Round(time.Second)
	if r.Status != Held {
		return
	}
	_, binding := s.crossing()
	tail, allowed := s.tail(binding, around), s.Objectives[binding].Allowed
	last := s.confirmation()
	for _, o := range s.badPeriods(binding, around) {
		if last != nil && s.confirmed(last) {
			break // with such periods or without them
		}
		r.BadPeriods = append(r.BadPeriods, s.index(o))
	}
	r.Drift = s.moving()
	low, high := tail.interval()
	switch {
	case high > tailMost*allowed || tail.Share() >= tailHalf*allowed && low >= tailCertain*allowed:
		s.nearTail(r, tail)
	case r.Drift != 0:
		r.Status = Drifting
	case r.BadPeriods != nil:
		r.Status = Unsteady
	}
}
