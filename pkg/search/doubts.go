package search

import (
	"math"
	"slices"
	"time"
)

const (
	badBlock       = 0.6  // share of bad operations of the blocks of a bad period
	minInBadBlocks = 0.74 // share of the bad operations of a trial that are in such blocks
	overloadShare  = 0.8  // share of bad operations of a trial that is overload all along
	beyondLaw      = 4.5  // times the share that the other trials let expect at that load
	maxAbove       = 0.1  // logarithm of the farthest load above the boundary: beyond, bad operations in blocks are overload
	minOthers      = 5    // trials that let expect something
)

// badPeriods returns the trials near a load that a bad period decided: their bad operations are in few blocks, and are far more than
// what all other trials let expect at that load. How often such a period comes decides about the boundary, and one or two do not show
// that.
func (s *state) badPeriods(objective int, around float64) (list []*Observation) {
	allowed := s.Objectives[objective].Allowed
	l := s.law(objective, around)
	data := s.data(objective, around, s.drift, wideWindow)
	for i := range data {
		o := data[i].of
		total := s.total(o, objective)
		if o.Purpose == Bracket || data[i].x-s.drift*data[i].at > math.Log(around)+maxAbove || total.Share() < beyondLaw*allowed ||
			total.Share() > overloadShare || o.inBlocks(objective, badBlock) < minInBadBlocks*total.Bad || len(data) <= minOthers {
			continue
		}
		others := slices.Delete(slices.Clone(data), i, i+1)
		if total.Share() > beyondLaw*newFit(others, l).expected(l, around, data[i].x-s.drift*data[i].at) {
			list = append(list, o)
		}
	}
	return list
}

// inBlocks returns the number of bad operations of a trial in blocks whose share of bad operations is at least share.
func (o *Observation) inBlocks(objective int, share float64) (bad float64) {
	for _, b := range o.Counts[objective] {
		if b.Operations > 0 && b.Share() >= share {
			bad += b.Bad
		}
	}
	return bad
}

const (
	tailHalf     = 0.5  // of the share allowed: with more of that at low loads the objective is too near to the store's own tail
	tailCertain  = 0.25 // of it is the low end of the interval of what was counted at low loads
	tailMost     = 0.75 // of it is the high end at most: that the own tail is small has to be shown
	expectedOnce = 3    // times that something must be expected to be seen with a probability of 95%
)

// nearTail says that the objective is too near to the store's own tail, or not known to be far from it.
func (s *state) nearTail(r *Result, tail Count) {
	r.Status, r.Tail = NearTail, tail.Bad/max(1, tail.Operations)
	low, high := tail.interval()
	r.TailCI = []float64{low, high}
}

// doubt sets the doubts about a search that held a load. What was held in that time was held, but the boundary is not
// claimed.
func (s *state) doubt(r *Result) {
	around, near := s.estimate(), 0.0
	for _, o := range s.valid() {
		if math.Abs(math.Log(o.Level()/around)) <= maxAbove && o.Purpose != Bracket {
			near += o.Duration.Seconds()
		}
	}
	r.Unseen = time.Duration(near / expectedOnce * float64(time.Second)).Round(time.Second)
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
