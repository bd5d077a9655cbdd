package units

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const sizeExamples = "(want for example 10MiB, 1.5GB or 4096)"

// sizeUnits lists the units of sizes from the largest to the smallest; binary units contain an "i".
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"EiB", 1 << 60},
	{"PiB", 1 << 50},
	{"TiB", 1 << 40},
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"EB", 1e18},
	{"PB", 1e15},
	{"TB", 1e12},
	{"GB", 1e9},
	{"MB", 1e6},
	{"KB", 1e3},
	{"B", 1},
}

// ParseSize parses a number of bytes: a plain number or one with a unit, in upper or lower case, with optional white
// space between them and with or without the B: KB is 1000, KiB is 1024. Fractions ("1.5MiB") are rounded down to whole
// bytes.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	unit, err := unitBytes(strings.TrimSpace(text[end:]))
	switch {
	case text == "":
		return 0, fmt.Errorf("empty size %s", sizeExamples)
	case text[0] == '-':
		return 0, fmt.Errorf("negative size %q %s", s, sizeExamples)
	case end == 0:
		return 0, fmt.Errorf("invalid size %q %s", s, sizeExamples)
	case err != nil:
		return 0, fmt.Errorf("size %q: %w %s", s, err, sizeExamples)
	}
	size, err := scale(text[:end], unit)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w %s", s, err, sizeExamples)
	}
	return size, nil
}

// unitBytes returns the bytes of a unit by its name in any case, with or without the B.
func unitBytes(name string) (uint64, error) {
	for _, u := range sizeUnits {
		if strings.EqualFold(name, u.name) || strings.EqualFold(name, strings.TrimSuffix(u.name, "B")) {
			return uint64(u.bytes), nil
		}
	}
	return 0, fmt.Errorf("unknown unit %q", name)
}

// maxFraction is how many digits after the point count: enough for any unit.
const maxFraction = 18

// scale multiplies a decimal number by a unit, exactly, and rounds down.
func scale(number string, unit uint64) (int64, error) {
	whole, fraction, point := strings.Cut(number, ".")
	if strings.Contains(fraction, ".") || (point && fraction == "") || whole == "" {
		return 0, fmt.Errorf("%q is not a number", number)
	}
	n, err := strconv.ParseUint(whole, 10, 64)
	hi, lo := bits.Mul64(n, unit)
	if err != nil || hi != 0 || lo > math.MaxInt64 {
		return 0, fmt.Errorf("more than %d bytes", int64(math.MaxInt64))
	}
	fraction = fraction[:min(len(fraction), maxFraction)]
	if fraction == "" {
		return int64(lo), nil
	}
	f, err := strconv.ParseUint(fraction, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", number)
	}
	denominator := uint64(1)
	for range fraction {
		denominator *= 10
	}
	fhi, flo := bits.Mul64(f, unit)
	part, _ := bits.Div64(fhi, flo, denominator) // less than unit, since f is less than the denominator
	if lo+part > math.MaxInt64 {
		return 0, fmt.Errorf("more than %d bytes", int64(math.MaxInt64))
	}
	return int64(lo + part), nil
}

// ExactSize writes a number of bytes exactly, in the largest unit that divides it. ParseSize is its inverse.
func ExactSize(n int64) string {
	for _, u := range sizeUnits {
		if n >= u.bytes && n%u.bytes == 0 && u.bytes > 1 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
