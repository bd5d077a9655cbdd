// Package dataset is the objects of a run: their keys, sizes and contents by index, which of them exist, and which a turn holds.
package dataset

import (
	"cmp"
	"time"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// Streams of random numbers, see Access.Seed.
const (
	StreamOffset = iota + 1
	StreamLength
	StreamKind
	StreamObject
	StreamSlots
	StreamArrivals
	StreamTasks
	StreamThink
)

// Access maps a turn to an object. It is a function of the seed and the turn, and differs between clients.
type Access struct {
	seed   uint64
	n      uint64 // objects
	passes generator.Passes
	random generator.Permutation
	group  uint64 // length of random

	choice *generator.Choice // nil: passes and random
	turns  load.Share        // this client's part of the turns that choice counts
	common uint64            // seed of choice
	begun  time.Time         // first turn; zero: it does not matter
	of     *Access           // see Among; nil: it is to objects

	first, last uint64 // of a data set that changes: the numbers to choose from, counted from 1; 0: all
	steady      bool   // it does not change in this phase
}

// NewAccess returns the default access to n objects: each once in random order, then reshuffled. With several versions per key, names is
// the number of keys; 0: each object has a key of its own.
func NewAccess(n, names, seed uint64) Access {
	group := cmp.Or(names, n)
	return Access{
		seed: seed, n: n, group: group,
		passes: generator.NewPasses(n, generator.Mix(seed, StreamObject)),
		random: generator.NewPermutation(group, generator.Mix(seed, StreamSlots)),
	}
}

// SetPattern sets the pattern of access; the zero value is the default. Clients that work on the same objects have the same seed, and each
// takes its share of the turns.
func (a *Access) SetPattern(p generator.Access, seed uint64, turns load.Share) {
	a.choice, a.turns, a.common = nil, turns, seed
	if p != (generator.Access{}) {
		a.choice = generator.NewChoice(p, a.n, seed)
	}
}

// place returns the number of a turn among all clients' turns, and the time since the first one if that matters.
func (a *Access) place(turn uint64) (n uint64, since time.Duration) {
	begun := a.begun
	if a.of != nil {
		begun = a.of.begun
	}
	if a.choice.Moves() && !begun.IsZero() {
		since = clock.Now().Sub(begun)
	}
	return a.turns.Index + turn*a.turns.Total, since
}

// Index returns the object of a turn.
func (a *Access) Index(turn uint64) uint64 {
	if a.choice == nil {
		return a.passes.At(turn)
	}
	return a.choice.At(a.place(turn))
}

// ForItems returns the access of the same turns to n other things, such as the parts of an object.
func (a *Access) ForItems(n uint64, p generator.Access) *Access {
	b := NewAccess(n, 0, a.seed)
	b.SetPattern(p, a.common, a.turns)
	b.of = a
	return &b
}

// draw returns a place for a turn among n objects, where n may change from turn to turn.
func (a *Access) draw(turn, n uint64) uint64 {
	if a.choice == nil {
		return generator.Uniform(a.Seed(StreamObject), turn, n)
	}
	i, since := a.place(turn)
	return a.choice.AtAmong(i, since, n)
}

// SetPatternAlone sets the pattern of access of a client that shares no turns with others.
func (a *Access) SetPatternAlone(p generator.Access) { a.SetPattern(p, a.seed, SoleClient) }

// Begin sets the time of the first turn, for patterns that move.
func (a *Access) Begin(at time.Time) { a.begun = at }

// Len returns the number of objects to work on; their indices are below it.
func (a *Access) Len() uint64 { return a.n }

// Once returns the index at place i of an order that has each object once: a random one, unless the pattern of access has another.
// Versions of one object are far apart there: servers may work on one at a time. Places are below Places.
func (a *Access) Once(i uint64) uint64 {
	if a.choice == nil {
		return i/a.group*a.group + a.random.At(i%a.group)
	}
	return a.choice.Once(i)
}

// Places returns the number of objects in that order: all, or the size of a range.
func (a *Access) Places() uint64 {
	if a.choice == nil || a.n == 0 {
		return a.n
	}
	return a.choice.Count()
}

// Seed returns the seed of one of several independent streams of random numbers, such as StreamKind.
func (a *Access) Seed(stream uint64) uint64 { return generator.Mix(a.seed, stream) }

// bounds returns the range [low, high) of the numbers to choose from, if objects below end may exist.
func (a *Access) bounds(end uint64) (low, high uint64) {
	if a.last == 0 {
		return 0, end
	}
	return a.first - 1, min(a.last, end)
}

// spread returns a place for a turn among n.
func (a *Access) spread(turn, n uint64) uint64 {
	if a.steady {
		return a.Index(turn)
	}
	return a.draw(turn, n)
}

// inOrder reports whether objects are used from the oldest on.
func (a *Access) inOrder() bool { return a.choice.InOrder() }
