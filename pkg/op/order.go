package op

import (
	"cmp"
	"hash/fnv"
)

// rank is the place of a kind in the table of kinds, the same for all its labels, outcomes and attempts. Unknown kinds are last.
func (k Kind) rank() int {
	if i, known := places[k.Base()]; known {
		return i
	}
	return len(kinds)
}

// Compare orders kinds as they are shown everywhere: by what they do; a kind before its labels, outcomes and attempts; unknown
// kinds last, by name. It returns a negative number if k comes before other.
func (k Kind) Compare(other Kind) int {
	if k == other {
		return 0
	}
	return cmp.Or(cmp.Compare(k.rank(), other.rank()), cmp.Compare(k, other))
}

// colours is the number of colours that kinds have in charts.
const colours = 8

// Colour returns the number of the colour of a kind in charts, from 0. It depends on nothing but the kind, and is the same for its
// labels, outcomes and attempts; the five common kinds have one that no other of them has.
func (k Kind) Colour() int {
	if i := k.rank(); i < len(kinds) {
		return i % colours
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.Base())) // never fails
	return int(h.Sum32() % colours)
}
