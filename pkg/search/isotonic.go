package search

import (
	"cmp"
	"math"
	"slices"
)

// sample is a trial in the fit of one objective.
type sample struct {
	level float64
	Count
}

// step is a part of a non-decreasing fit: trials whose shares are pooled.
type step struct {
	x float64 // average logarithm of the levels, weighted by operations
	Count
	low, high float64 // levels
}

// logShare returns the logarithm of the share of bad operations, where half an operation stands for none.
func (s step) logShare() float64 { return math.Log((s.Bad + 0.5) / (s.Operations + 1)) }

// isotonic returns the non-decreasing fit of shares over levels by pooling adjacent violators.
func isotonic(samples []sample) []step {
	order := make([]int, len(samples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(samples[a].level, samples[b].level) })
	var steps []step
	for _, i := range order {
		s := samples[i]
		if s.Operations == 0 {
			continue
		}
		steps = append(steps, step{math.Log(s.level), s.Count, s.level, s.level})
		for n := len(steps); n > 1 && (steps[n-2].Share() > steps[n-1].Share() || steps[n-2].high == steps[n-1].low); n-- {
			steps[n-2] = pool(steps[n-2], steps[n-1])
			steps = steps[:n-1]
		}
	}
	return steps
}

func pool(a, b step) step {
	n := a.Operations + b.Operations
	return step{(a.x*a.Operations + b.x*b.Operations) / n, Count{n, a.Bad + b.Bad}, a.low, b.high}
}

// root returns the level at which the fit crosses the share allowed. Between steps the logarithm of the share is linear in that of the
// level. Without a crossing it is the lowest level, or the highest.
func root(steps []step, allowed float64) float64 {
	y := math.Log(allowed)
	for i, s := range steps {
		if s.Share() <= allowed {
			continue
		}
		if i == 0 {
			return s.low
		}
		from, to := steps[i-1], s
		y0, y1 := min(from.logShare(), y), max(to.logShare(), y)
		if y1 == y0 {
			return math.Exp(from.x)
		}
		return math.Exp(from.x + (to.x-from.x)*(y-y0)/(y1-y0))
	}
	return steps[len(steps)-1].high
}
