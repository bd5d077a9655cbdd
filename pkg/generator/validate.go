package generator

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxPrefix leaves room for the rest of the key; S3 limits keys to 1024 bytes.
	maxPrefix = 900
	// maxBuckets is the maximum number of size buckets. Each one costs time for each object.
	maxBuckets = 10_000
)

// Validate checks the description of a data set. A valid one can be made at moderate cost.
func (s Spec) Validate() error {
	if len(s.Sizes.Buckets) > maxBuckets {
		return fmt.Errorf("obj.size: %d buckets (want at most %d)", len(s.Sizes.Buckets), maxBuckets)
	}
	if err := s.Sizes.Validate(); err != nil {
		return fmt.Errorf("obj.size: %w", err)
	}
	if _, err := NewData(s.Generator, 0); err != nil {
		return fmt.Errorf("obj.generator: %w", err)
	}
	if n := len(s.Prefix); n > maxPrefix {
		return fmt.Errorf("prefix: %d bytes (want at most %d, since keys have at most 1024)", n, maxPrefix)
	}
	if !utf8.ValidString(s.Prefix) {
		return fmt.Errorf("prefix: %q is not valid UTF-8", s.Prefix)
	}
	return nil
}
