package aggregate

import (
	"cmp"
	"slices"

	"warp/pkg/op"
)

// Order is the order of phases that run in parallel: sets of names, each in the order of its plan. Phases of different sets, and
// others, are in order of time. All views of a run have its phases and kinds in this order; see op.Kind.Compare for kinds.
type Order [][]string

// set returns the set of a phase, by its first name, and its place there. A phase without a set is one of its own.
func (o Order) set(phase string) (set string, place int) {
	for _, names := range o {
		if i := slices.Index(names, phase); i >= 0 {
			return names[0], i
		}
	}
	return phase, 0
}

// compare compares two phases; known is false unless they are of one set.
func (o Order) compare(a, b string) (c int, known bool) {
	setA, placeA := o.set(a)
	setB, placeB := o.set(b)
	return cmp.Compare(placeA, placeB), setA == setB
}

// Insert inserts a phase and kind at its place in a list whose elements are in order. A phase of a new set is the last.
func Insert[T any](o Order, list []T, x T, of func(T) (phase string, kind op.Kind)) []T {
	at := len(list)
	phase, kind := of(x)
	for i, other := range list {
		otherPhase, otherKind := of(other)
		c, known := o.compare(phase, otherPhase)
		if !known {
			continue
		}
		if cmp.Or(c, kind.Compare(otherKind)) < 0 {
			at = i
			break
		}
		at = i + 1
	}
	return slices.Insert(list, at, x)
}
