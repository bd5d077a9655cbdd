package aggregate

import (
	"cmp"
	"slices"

	"warp/pkg/op"
)

// Order is the order of phases that run side by side: sets of names, each in the order of its plan. Phases of different sets, and
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

// arranged returns the groups of phases in order.
func (o Order) arranged(groups []*Group) (list []*Group) {
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Phase, b.Phase)) })
	for _, g := range groups {
		list = Insert(o, list, g, (*Group).phaseAndKind)
	}
	return list
}

func (g *Group) phaseAndKind() (phase string, kind op.Kind) { return g.Phase, g.Kind }

// arrange brings the groups and totals in order. The total of phases side by side follows theirs.
func (s *Snapshot) arrange() {
	o := slices.Clone(s.Order)
	var totals, besides []*Group
	for _, t := range s.Totals {
		if !t.Beside() {
			totals = append(totals, t)
			continue
		}
		besides = append(besides, t)
		if _, known := o.compare(t.Streams[0], t.Streams[1]); !known {
			o = append(o, t.Streams)
		}
	}
	s.Groups, s.Totals = o.arranged(s.Groups), o.arranged(totals)
	for _, b := range o.arranged(besides) {
		at := len(s.Totals)
		for i, t := range s.Totals {
			if slices.Contains(b.Streams, t.Phase) {
				at = i + 1
			}
		}
		s.Totals = slices.Insert(s.Totals, at, b)
	}
}
