package aggregate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"warp/pkg/op"
)

// Limits on memory for classes of errors; further ones count as otherErrors.
const (
	maxErrorClasses = 100 // of a group
	maxPartClasses  = 20  // of a host, a client or a segment
	maxClassNumbers = 250 // of all groups, in their hosts and segments
)

const otherErrors = "other"

// class returns the number of the class of an error.
func (t *tables) class(err string) uint8 {
	if len(t.classes.list) == 0 {
		t.classes.number(otherErrors)
	}
	class := op.Class(err)
	if _, known := t.classes.index[class]; !known && len(t.classes.list) == maxClassNumbers {
		return 0
	}
	return uint8(t.classes.number(class))
}

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
