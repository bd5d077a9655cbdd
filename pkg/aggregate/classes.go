package aggregate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Limits on memory for classes of errors; further ones count as otherErrors.
const (
	maxErrorClasses = 100 // of a group
	maxPartClasses  = 20  // of a host, a client or a segment
)

const otherErrors = "other"

// countClass adds n failures of a class to counts of at most so many classes, beside otherErrors.
func countClass(counts *map[string]int64, class string, n int64, most int) {
	if *counts == nil {
		*counts = make(map[string]int64)
	}
	if _, known := (*counts)[class]; !known {
		if _, others := (*counts)[otherErrors]; others {
			most++
		}
		if len(*counts) >= most {
			class = otherErrors
		}
		class = strings.Clone(class) // it may be part of a large buffer
	}
	(*counts)[class] += n
}

// mergeClasses adds the failures of b, in order of frequency, so that the frequent classes keep their name if there are too many.
func mergeClasses(a *map[string]int64, b map[string]int64, most int) {
	classes := slices.SortedFunc(maps.Keys(b), func(x, y string) int {
		return cmp.Or(cmp.Compare(b[y], b[x]), cmp.Compare(x, y))
	})
	for _, c := range classes {
		countClass(a, c, b[c], most)
	}
}
