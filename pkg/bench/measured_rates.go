package bench

import (
	"fmt"

	"warp/pkg/load"
	"warp/pkg/units"
)

// noteRate notes this client's achieved turns per second in a stream.
func noteRate(r *Run, stream string, rate float64) {
	if r.rates == nil {
		r.rates = map[string]float64{}
	}
	r.rates[stream] = rate
}

// noteHeld notes this client's part of the rate that a search held.
func noteHeld(r *Run, of *stream) {
	s := &r.result.Searches[len(r.result.Searches)-1]
	if i := s.HeldTrial(); i >= 0 {
		noteRate(r, of.Name, s.Trials[i].Achieved/float64(r.share.Total))
	}
}

// withRate returns a stream with the rate that follows from an earlier measurement, if its load is a portion of that.
func withRate(r *Run, s *stream) (*stream, error) {
	if s.Portion == nil {
		return s, nil
	}
	of, err := measuredBefore(r.plan, s)
	if err != nil {
		return nil, err
	}
	rate := r.rates[of.Name] * s.Portion.Share
	if _, err := load.Rate(rate); err != nil {
		const text = "%s: rate %s: phase %q achieved %s turns/s"
		return nil, fmt.Errorf(text, title(s.Stream), s.Portion, of.Name, units.PerSecond(r.rates[of.Name]))
	}
	st, with := *s.Stream, *s
	st.Rate, with.Stream = rate, &st
	achieved := units.PerSecond(r.rates[of.Name])
	note := fmt.Sprintf("%s: rate %s, %s turns/s of %s", s.Name, s.Portion, units.PerSecond(rate), achieved)
	r.result.Notes = append(r.result.Notes, note)
	return &with, nil
}
