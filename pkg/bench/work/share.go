package work

import (
	"errors"
	"strconv"
)

// Share is a flag.Value for a share of something: a number from 0.
type Share float64

func (s *Share) String() string {
	if s == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}

// Set parses the flag.
func (s *Share) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errShare
	}
	*s = Share(f)
	return s.Check()
}

var errShare = errors.New("want a number from 0")

// Check returns an error unless the share is a number from 0.
func (s Share) Check() error {
	if !(s >= 0 && s <= 1e9) { // so that NaN is refused too
		return errShare
	}
	return nil
}
