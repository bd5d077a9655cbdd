package decode

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Limits of the number of classes of errors; further ones count as OtherErrors.
const (
	MaxErrorClasses = 100 // of a group
	MaxPartClasses  = 20  // of a host, a client or a segment
)

// OtherErrors is the class of errors beyond the limits.
const OtherErrors = "other"

// CountClass adds n failures of a class to counts of at most limit classes and OtherErrors.
func CountClass(counts *map[string]int64, class string, n int64, limit int) {
	if *counts == nil {
		*counts = make(map[string]int64)
	}
	if _, known := (*counts)[class]; !known {
		if _, others := (*counts)[OtherErrors]; others {
			limit++
		}
		if len(*counts) >= limit {
			class = OtherErrors
		}
		class = strings.Clone(class) // it may be part of a large buffer
	}
	(*counts)[class] += n
}

// MergeClasses adds the failures of b, in order of frequency, so that the frequent classes keep their name if there are too many.
func MergeClasses(a *map[string]int64, b map[string]int64, limit int) {
	classes := slices.SortedFunc(maps.Keys(b), func(x, y string) int {
		return cmp.Or(cmp.Compare(b[y], b[x]), cmp.Compare(x, y))
	})
	for _, c := range classes {
		CountClass(a, c, b[c], limit)
	}
}
