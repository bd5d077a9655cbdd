package units

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseCount parses a number of things, which may end in k (1000), M (10⁶) or G (10⁹).
func ParseCount(s string) (uint64, error) {
	number, zeros := strings.TrimSpace(s), 0
	for unit, n := range map[string]int{"k": 3, "K": 3, "M": 6, "G": 9} {
		if text, ok := strings.CutSuffix(number, unit); ok {
			number, zeros = text, n
			break
		}
	}
	whole, fraction, point := strings.Cut(number, ".")
	if whole == "" || point && fraction == "" || len(fraction) > zeros {
		return 0, errCount(s)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", zeros-len(fraction)), 10, 64)
	if err != nil {
		return 0, errCount(s)
	}
	return n, nil
}

func errCount(s string) error {
	return fmt.Errorf("invalid number %q (want a whole number below 2^64, as in 10000, 10k or 1.5M)", s)
}
