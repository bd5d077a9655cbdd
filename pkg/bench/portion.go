package bench

import (
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/units"
)

// Portion is a rate that follows from an earlier phase of the run: a share of the turns per second that a stream achieved, or of those that
// a search held. Each client has that share of its own.
type Portion struct {
	Share float64 `json:"share"`            // above 0; 1: all of it
	Of    string  `json:"stream,omitempty"` // name; empty: the one of the phase before that measured
}

// maxShare is the largest share of a measured rate.
const maxShare = 100

// String returns the portion as scenarios state it.
func (p *Portion) String() string {
	text := fmt.Sprintf("%g%%", p.Share*100)
	if p.Of != "" {
		text += " of " + p.Of
	}
	return text
}

// checkPortion returns an error for a portion of what is not measured before.
func checkPortion(c *Compiled, s *stream) error {
	p := s.Portion
	switch {
	case p == nil:
		return nil
	case s.Rate > 0 || !s.Schedule.IsZero():
		return option.Errorf("rate", "%s and another rate (want one of them)", p)
	case !(p.Share > 0 && p.Share <= maxShare):
		return option.Errorf("rate", "invalid value %s (want more than 0%%, at most %d%%)", p, maxShare*100)
	}
	of, err := measuredBefore(c, s)
	if err == nil && !slices.Equal(of.Clients, s.Clients) && len(of.Clients) > 0 {
		err = fmt.Errorf("%s: stream %q is on other clients", p, of.Name)
	}
	return option.Wrap("rate", err)
}

// measuredBefore returns the stream that a portion is of.
func measuredBefore(c *Compiled, s *stream) (of *stream, err error) {
	p := s.Portion
	for _, o := range c.streams {
		if o.phase < s.phase && (p.Of == "" || p.Of == o.Name) {
			of = o
		}
	}
	switch {
	case of == nil:
		return nil, fmt.Errorf("%s: no such phase before this one measures a rate", p)
	case p.Of == "" && len(c.phaseStreams(of.phase)) > 1:
		return nil, fmt.Errorf("%s: several streams were measured before (want the name of one, as in %s of %s)", p, p, of.Name)
	}
	return of, nil
}

// noteRate notes the turns per second that this client achieved in a stream.
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

// withRate returns a stream with the rate that follows from what was measured before, if its load is a portion of that.
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
		return nil, fmt.Errorf("%s: rate %s: phase %q achieved %s turns/s", title(s.Stream), s.Portion, of.Name, units.PerSecond(r.rates[of.Name]))
	}
	st, with := *s.Stream, *s
	st.Rate, with.Stream = rate, &st
	r.result.Notes = append(r.result.Notes, fmt.Sprintf("%s: rate %s, %s turns/s of %s", s.Name, s.Portion, units.PerSecond(rate), units.PerSecond(r.rates[of.Name])))
	return &with, nil
}
