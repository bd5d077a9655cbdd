package generator

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/units"
)

// Sizes is a distribution of object sizes.
type Sizes struct {
	Min     int64    `json:"min,omitempty"`     // smallest size; Random only
	Max     int64    `json:"max,omitempty"`     // the size, or the largest one if Random
	Random  bool     `json:"random,omitempty"`  // sizes vary, with equal shares for each doubling from Min to Max
	Buckets []Bucket `json:"buckets,omitempty"` // weighted sizes; if any, the fields above are ignored
	Exact   bool     `json:"exact,omitempty"`   // the sizes of Buckets are sizes of objects, not bounds

	Law    string  `json:"law,omitempty"`    // uniform, normal, lognormal, sequence; empty: none of them
	Center float64 `json:"center,omitempty"` // of a law
	Spread float64 `json:"spread,omitempty"`
	Step   int64   `json:"step,omitempty"` // of uniform: sizes are Min and whole steps more; 0: any

	sums []uint64 // of the weights; see Indexed
}

// Bucket is a range of sizes: from the Size of the previous bucket (0 for the first), included, to its own, excluded.
type Bucket struct {
	Size   int64 `json:"size"`
	Weight int64 `json:"weight"`
}

// minRandom is the smallest Max, in bytes, of random sizes.
const minRandom = 256

// ParseSizes parses the value of --obj.size: one size ("10MiB"), a smallest and a largest size ("1KiB,10MiB"), or
// weighted buckets ("4096:10740,8192:1685"). With random, sizes vary up to the largest; without, all objects have the
// largest. Buckets are always random, as are the distributions of sizeForms.
func ParseSizes(size string, random bool) (Sizes, error) { return ReadSizes(size, random, nil) }

// ReadSizes is ParseSizes with files: read returns the contents of one.
func ReadSizes(size string, random bool, read func(name string) ([]byte, error)) (Sizes, error) {
	if strings.Contains(size, "(") {
		s, err := parseForm(size, read)
		if err == nil && random {
			err = errors.New("--obj.randsize is for sizes without a distribution")
		}
		if err == nil {
			err = s.Validate()
		}
		if err != nil {
			return Sizes{}, fmt.Errorf("sizes %q: %w", size, err)
		}
		return s, nil
	}
	if strings.Contains(size, ":") {
		return parseBuckets(size)
	}
	low, high, both := strings.Cut(size, ",")
	if !both {
		low, high = "0", low
	}
	least, err := units.ParseSize(low)
	if err != nil {
		return Sizes{}, err
	}
	highest, err := units.ParseSize(high)
	if err != nil {
		return Sizes{}, err
	}
	if both && !random && least != highest {
		return Sizes{}, fmt.Errorf("sizes %q: a smallest and a largest size are for random sizes (want one size, or --obj.randsize)", size)
	}
	s := Sizes{Min: least, Max: highest, Random: random}
	if err := s.Validate(); err != nil {
		return Sizes{}, fmt.Errorf("sizes %q: %w", size, err)
	}
	if !random {
		s.Min = 0
	}
	return s, nil
}

func parseBuckets(text string) (Sizes, error) {
	var s Sizes
	for part := range strings.SplitSeq(text, ",") {
		size, weight, found := strings.Cut(part, ":")
		if !found {
			return Sizes{}, fmt.Errorf("sizes %q: missing weight in %q (want size:weight, for example 4KiB:80,1MiB:20)", text, part)
		}
		bytes, err := units.ParseSize(size)
		if err != nil {
			return Sizes{}, fmt.Errorf("sizes %q: %w", text, err)
		}
		w, err := strconv.ParseInt(strings.TrimSpace(weight), 10, 64)
		if err != nil {
			return Sizes{}, fmt.Errorf("sizes %q: invalid weight %q (want size:weight, for example 4KiB:80,1MiB:20)", text, weight)
		}
		s.Buckets = append(s.Buckets, Bucket{Size: bytes, Weight: w})
	}
	slices.SortStableFunc(s.Buckets, func(a, b Bucket) int { return cmp.Compare(a.Size, b.Size) })
	if err := s.Validate(); err != nil {
		return Sizes{}, fmt.Errorf("sizes %q: %w", text, err)
	}
	return s, nil
}

// Validate checks sizes that did not come from ParseSizes.
func (s Sizes) Validate() error {
	switch {
	case s.Law != "":
		return s.validateLaw()
	case len(s.Buckets) > 0:
		return validateBuckets(s.Buckets, s.Exact)
	case s.Min < 0 || s.Max < 0:
		return errors.New("negative size")
	case s.Min > s.Max:
		return fmt.Errorf("smallest size %s exceeds largest size %s", units.ExactSize(s.Min), units.ExactSize(s.Max))
	case s.Random && s.Max < minRandom:
		return fmt.Errorf("random sizes: invalid largest size %[2]d (want at least %[1]d bytes)", minRandom, s.Max)
	}
	return nil
}

func validateBuckets(buckets []Bucket, exact bool) error {
	var last, total int64
	for _, b := range buckets {
		if exact && b.Size < 0 {
			return errors.New("negative size")
		}
		if !exact && b.Size <= last {
			return fmt.Errorf("bucket size %d does not exceed the previous one, %d", b.Size, last)
		}
		if b.Weight < 0 || b.Weight > math.MaxInt64-total {
			return fmt.Errorf("weight %d of bucket %s out of range", b.Weight, units.ExactSize(b.Size))
		}
		last, total = b.Size, total+b.Weight
	}
	if total == 0 {
		return errors.New("all bucket weights are 0")
	}
	return nil
}

// At returns the size of object i in bytes.
func (s Sizes) At(seed, i uint64) int64 {
	if size, fixed := s.Fixed(); fixed {
		return size
	}
	if s.Law == lawSequence {
		return inSequence(&s, i)
	}
	draw := Mix(Mix(seed, streamSize), i)
	if s.Law != "" {
		return s.lawSize(draw)
	}
	if len(s.Buckets) > 0 {
		return bucketSize(&s, draw)
	}
	return randomSize(s.Min, s.Max, draw)
}

// Fixed returns the size of all objects, if it is the same.
func (s Sizes) Fixed() (size int64, fixed bool) {
	switch {
	case s.Exact && len(s.Buckets) == 1:
		return s.Buckets[0].Size, true
	case len(s.Buckets) > 0:
		return 0, false
	case s.Law != "":
		return s.Max, s.Min >= s.Max
	}
	return s.Max, !s.Random || s.Min >= s.Max
}

// Largest returns the largest size that can occur, in bytes.
func (s Sizes) Largest() int64 {
	highest := int64(-1)
	for _, b := range slices.Backward(s.Buckets) {
		if b.Weight > 0 && s.Exact {
			highest = max(highest, b.Size)
		} else if b.Weight > 0 {
			return b.Size - 1
		}
	}
	if highest >= 0 {
		return highest
	}
	return s.Max
}

// String describes the distribution in words.
func (s Sizes) String() string {
	switch {
	case s.Law != "", s.Exact:
		return s.form()
	case len(s.Buckets) > 0:
		return bucketText(s.Buckets)
	}
	if size, fixed := s.Fixed(); fixed {
		return units.ExactSize(size)
	}
	if s.Min == 0 {
		return "random, up to " + units.ExactSize(s.Max)
	}
	return fmt.Sprintf("random, %s to %s", units.ExactSize(s.Min), units.ExactSize(s.Max))
}
