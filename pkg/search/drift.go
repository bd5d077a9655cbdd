package search

import "math"

const (
	minDriftTrials = 8   // trials
	noDrift        = 0.9 // probability from the start
	driftSlower    = 0.5 // probability from which the store is said to get slower
	driftFaster    = 0.9 // or faster: loads rise through the trials of a search that began too low, which looks like that
)

// drifts are changes of the logarithm of the boundary over all trials near it.
var drifts = []float64{0, -0.4, -0.3, -0.22, -0.16, -0.11, -0.07, -0.04, 0.04, 0.07, 0.11, 0.16, 0.22, 0.3, 0.4}

// motionOf returns how the boundary of a law moves, by trials around a load.
func motionOf(data []datum, l law, around float64) motion {
	if len(data) < minDriftTrials {
		return motion{}
	}
	first, last := 0.0, math.Inf(-1)
	for i := range data {
		first, last = min(first, data[i].at), max(last, data[i].at)
	}
	span := last - first
	f := newFit(data, l)
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
