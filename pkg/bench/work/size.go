package work

import "warp/pkg/units"

// Size is a flag.Value for a size with a unit.
type Size int64

func (s *Size) String() string {
	if s == nil || *s == 0 {
		return ""
	}
	return units.ExactSize(int64(*s))
}

// Set parses the flag.
func (s *Size) Set(text string) error {
	n, err := units.ParseSize(text)
	*s = Size(n)
	return err
}
