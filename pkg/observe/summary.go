package observe

import "time"

// Summary is what the process did in a window of time: its samples, merged.
type Summary struct {
	Sample
	// Samples is how many samples were merged. If it is 0, nothing is known.
	Samples int `json:"samples"`
}

// Summarize merges samples, given in order of time: see [Observer.Summary].
func Summarize(samples []Sample, from, to time.Time) Summary {
	middle := func(s Sample) bool {
		m := s.Start.Add(s.End().Sub(s.Start) / 2)
		return (from.IsZero() || !m.Before(from)) && (to.IsZero() || m.Before(to))
	}
	overlaps := func(s Sample) bool {
		return (from.IsZero() || s.End().After(from)) && (to.IsZero() || s.Start.Before(to))
	}
	sum := summarizeIf(samples, middle)
	if sum.Samples == 0 {
		sum = summarizeIf(samples, overlaps)
	}
	sum.Stalls = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.Stalls })
	sum.ClockJumps = stallsIn(samples, from, to, func(s Sample) *Stalls { return s.ClockJumps })
	return sum
}

// stallsIn adds up the stalls in a window. A stall that outlasts the window makes a sample whose middle lies outside.
func stallsIn(samples []Sample, from, to time.Time, of func(Sample) *Stalls) (sum *Stalls) {
	for _, s := range samples {
		if t := of(s); t != nil && t.overlaps(from, to) {
			sum = merged(sum, t, (*Stalls).add)
		}
	}
	return sum
}

func summarizeIf(samples []Sample, belongs func(Sample) bool) Summary {
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
