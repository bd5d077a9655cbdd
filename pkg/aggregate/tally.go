package aggregate

import (
	"cmp"
	"slices"

	"warp/pkg/op"
)

// tally counts how often each object is used; see Touched. The zero value is ready.
type tally struct {
	ops      int64
	halvings uint
	missed   int64
	sample   touches
	hot      touches
}

// usesObject reports whether an operation used one object, which its key names.
func usesObject(o *op.Op) bool {
	return o.Objects == 1 && o.Key != "" && o.Err == "" && o.Kind.Base() != op.List
}

// add counts an operation that used one object, by the hash of its key.
func (t *tally) add(hash uint64, bytes int64) {
	t.ops++
	t.place(touch{hash: hash | 1, ops: 1, size: bytes}) // 0 marks free slots
}

// place adds to an object.
func (t *tally) place(e touch) {
	if !sampled(e.hash, t.halvings) {
		if t.hot.add(e); t.hot.n > touchedHot {
			t.prune()
		}
		return
	}
	t.sample.add(e)
	for t.sample.n > touchedSample {
		t.halve()
	}
}

// halve removes about half of the sample. The objects that leave it go on to be counted by themselves, as far as there is room.
func (t *tally) halve() {
	t.halvings++
	all := t.sample
	t.sample = touches{}
	for _, e := range all.slots {
		switch {
		case e.hash == 0:
		case sampled(e.hash, t.halvings):
			t.sample.add(e)
		default:
			t.hot.add(e)
		}
	}
	if t.hot.n > touchedHot {
		t.prune()
	}
}

// prune removes at least half of the hot objects, the ones used least, and lowers the others by what those had: so an object has as good a
// chance to become one of them late as early, and missed remains a bound for all.
func (t *tally) prune() {
	counts := make([]int64, 0, t.hot.n)
	for _, e := range t.hot.slots {
		if e.hash != 0 {
			counts = append(counts, e.ops)
		}
	}
	slices.Sort(counts)
	least := counts[len(counts)-touchedHot/2]
	t.missed += least
	all := t.hot
	t.hot = touches{}
	for _, e := range all.slots {
		if e.ops > least {
			e.ops -= least
			t.hot.add(e)
		}
	}
}

// touched returns the present state.
func (t *tally) touched() *Touched {
	if t.ops == 0 {
		return nil
	}
	return &Touched{ops: t.ops, halvings: t.halvings, missed: t.missed, sample: t.sample.sorted(), hot: t.hot.sorted()}
}

// touches is a hash table of objects with open addressing.
type touches struct {
	slots []touch // their number is a power of two
	n     int     // that are used, three quarters at most
}

// add adds to an object.
func (t *touches) add(e touch) {
	if t.n >= len(t.slots)/4*3 {
		t.grow()
	}
	s := t.slot(e.hash)
	if s.hash == 0 {
		t.n++
	}
	s.hash, s.ops, s.size = e.hash, s.ops+e.ops, max(s.size, e.size)
}

// slot returns the slot of an object, or a free one.
func (t *touches) slot(hash uint64) *touch {
	mask := uint64(len(t.slots) - 1)
	i := hash >> 1 & mask
	for t.slots[i].hash != 0 && t.slots[i].hash != hash {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

func (t *touches) grow() {
	all := t.slots
	t.slots = make([]touch, max(64, 2*len(all)))
	for _, e := range all {
		if e.hash != 0 {
			*t.slot(e.hash) = e
		}
	}
}

// sorted returns the objects by their hash.
func (t *touches) sorted() []touch {
	list := make([]touch, 0, t.n)
	for _, e := range t.slots {
		if e.hash != 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b touch) int { return cmp.Compare(a.hash, b.hash) })
	return list
}
