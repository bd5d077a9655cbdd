package observe

import (
	"time"
)

// Summary is what the process did in a window of time: the samples of it, put together.
type Summary struct {
	Sample
	// Samples is how many were put together. If it is 0 nothing is known.
	Samples int `json:"samples"`
}

// Summarize puts samples that are in order of time together: see [Observer.Summary].
func Summarize(samples []Sample, from, to time.Time) Summary {
	middle := func(s Sample) bool {
		m := s.Start.Add(s.End().Sub(s.Start) / 2)
		return (from.IsZero() || !m.Before(from)) && (to.IsZero() || m.Before(to))
	}
	touches := func(s Sample) bool {
		return (from.IsZero() || s.End().After(from)) && (to.IsZero() || s.Start.Before(to))
	}
	sum := summarizeThose(samples, middle)
	if sum.Samples == 0 {
		sum = summarizeThose(samples, touches)
	}
	sum.Stalls = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.Stalls })
	sum.ClockJumps = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.ClockJumps })
	return sum
}

// stallsIn adds up the stalls in a window. One that goes on beyond it makes a sample whose middle lies outside.
func stallsIn(samples []Sample, from, to time.Time, of func(Sample) *Stalls) (sum *Stalls) {
	for _, s := range samples {
		if t := of(s); t != nil && t.overlaps(from, to) {
			sum = merged(sum, t, (*Stalls).add)
		}
	}
	return sum
}

func summarizeThose(samples []Sample, belongs func(Sample) bool) Summary {
	var sum Summary
	for _, s := range samples {
		switch {
		case !belongs(s):
			continue
		case sum.Samples == 0:
			sum.Sample = s
		default:
			sum.Sample = sum.merge(s)
		}
		sum.Samples++
	}
	return sum
}
