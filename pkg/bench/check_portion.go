package bench

import (
	"fmt"
	"slices"

	"warp/internal/option"
)

// checkPortion returns an error for a portion of a stream that is not measured before.
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
