package load

import (
	"time"

	"warp/pkg/op"
)

// Limits of steps.
const (
	rampSteps = 8  // of each ramp
	maxSteps  = 40 // more than people read
)

// Steps returns the parts of a shape before a time, for reports: its stages, and parts of its ramps; nil if there is one only, or too many.
func Steps(s Shape, before time.Duration) (list []op.Level) {
	stages := s.stages
	if s.text != "" {
		stages = joined(stages, len(stages)/rampSteps)
	}
	for start := time.Duration(0); len(stages) > 0 && start < before && (s.repeat || start == 0); {
		for _, st := range stages {
			length, parts := st.length, 1
			if length == 0 {
				length = max(0, before-start)
			}
			if st.from != st.to && s.text == "" {
				parts = rampSteps
			}
			for k := range parts {
				part := func(k int) (float64, time.Duration) {
					share := float64(k) / float64(parts)
					return st.from + share*(st.to-st.from), start + time.Duration(share*float64(length))
				}
				from, at := part(k)
				to, end := part(k + 1)
				if at < before {
					list = append(list, op.Level{From: from, To: to, Start: at, End: min(end, before)})
				}
			}
			start += length
		}
		if last := stages[len(stages)-1]; !s.repeat && start < before {
			list = append(list, op.Level{From: last.to, To: last.to, Start: start, End: before})
		}
		if len(list) > maxSteps {
			return nil
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// joined returns longer stages, each of n of the given ones.
func joined(stages []stage, n int) (list []stage) {
	for i := 0; i < len(stages); i += n {
		one := stage{from: stages[i].from, to: stages[min(i+n, len(stages))-1].to}
		for _, st := range stages[i:min(i+n, len(stages))] {
			one.length += st.length
		}
		list = append(list, one)
	}
	return list
}
