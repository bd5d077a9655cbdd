package replay

import (
	"errors"
	"strconv"
	"strings"
)

// Speed is the speed of a replay relative to the trace.
type Speed float64

// String returns the factor.
func (s *Speed) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

// Set parses a factor, which may end in x.
func (s *Speed) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(v > 0 && v <= maxSpeed) {
		return errors.New("want a factor above 0, as in 2 or 0.5x")
	}
	*s = Speed(v)
	return nil
}

const maxSpeed = 1e6
