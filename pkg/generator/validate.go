package generator

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxPrefix leaves room for the rest of a key, which S3 limits to 1024 bytes.
	maxPrefix = 900
	// maxBuckets is how many classes of sizes there may be. Each one costs time for each object.
	maxBuckets = 10_000
)

// Validate says what is wrong with the description of a data set. What it lets pass can be made at no great cost.
func (s Spec) Validate() error {
	if len(s.Sizes.Buckets) > maxBuckets {
		return fmt.Errorf("obj.size: %d classes of sizes are too many; use %d at most", len(s.Sizes.Buckets), maxBuckets)
	}
	if err := s.Sizes.Validate(); err != nil {
		return fmt.Errorf("obj.size: %w", err)
	}
	if _, err := NewData(s.Generator, 0); err != nil {
		return fmt.Errorf("obj.generator: %w", err)
	}
	if n := len(s.Prefix); n > maxPrefix {
		return fmt.Errorf("prefix: %d bytes are too long; use %d at most, as a key of S3 has 1024", n, maxPrefix)
	}
	if !utf8.ValidString(s.Prefix) {
		return fmt.Errorf("prefix: %q is not valid UTF-8, which keys of S3 are", s.Prefix)
	}
	return nil
}
