package formats

import (
	"bytes"
	"math"

	"warp/pkg/trace"
)

// number parses a number of 1 to 18 digits.
func number(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// optional parses a number that may be missing: "-" and an empty text are Unknown.
func optional(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) == 1 && b[0] == '-' {
		return trace.Unknown, true
	}
	return number(b)
}

// decimal parses a decimal number that may have a fraction, and returns it times 10^digits. Further digits are dropped.
func decimal(b []byte, digits int) (n int64, ok bool) {
	whole, fraction, _ := bytes.Cut(b, []byte("."))
	n, ok = number(whole)
	if !ok {
		return 0, false
	}
	for i := range digits {
		if n > math.MaxInt64/10-1 {
			return 0, false
		}
		n *= 10
		if i < len(fraction) {
			if fraction[i]-'0' > 9 {
				return 0, false
			}
			n += int64(fraction[i] - '0')
		}
	}
	return n, true
}
