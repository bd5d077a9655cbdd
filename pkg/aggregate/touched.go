package aggregate

import (
	"cmp"
	"math"
	"slices"
)

// Touched is which objects the successful operations of a group used, and how often: inside the window or not. Up to touchedSample objects
// it is exact. Of more, it holds a sample of the objects with exact figures, chosen by a hash of the key, so that clients
// choose the same ones; and of those outside of the sample the ones that were used most, with figures that are too low by
// Missed at most. Its size does not grow with objects or operations.
type Touched struct {
	ops      int64   // that used one object
	halvings uint    // the sample is the objects whose hash begins with this number of zero bits
	missed   int64   // the maximum number of operations missing from an element of hot; 0: hot has all objects outside of the sample
	sample   []touch // by hash
	hot      []touch // by hash
}

// touch is one object.
type touch struct {
	hash uint64
	ops  int64
	size int64 // the most bytes that one operation transferred
}

const (
	// touchedSample is the number of objects of a sample, at most: of more than that, their number is estimated with a standard
	// error of 0.8% at most.
	touchedSample = 1 << 15
	// touchedHot is the number of objects outside of the sample that are counted one by one.
	touchedHot = 1 << 14
	// touchedHeavy is how many times more often than missed an object must have been used to count by itself, so that what is missing hardly
	// matters.
	touchedHeavy = 2
)

// sampled reports whether an object belongs to a sample.
func sampled(hash uint64, halvings uint) bool { return hash>>(64-halvings) == 0 }

// exact reports whether every object is known.
func (t *Touched) exact() bool { return t.missed == 0 }

// scale is how many objects one of the sample stands for.
func (t *Touched) scale() float64 { return math.Ldexp(1, int(t.halvings)) }

// Ops returns the number of operations that used one object each.
func (t *Touched) Ops() int64 {
	if t == nil {
		return 0
	}
	return t.ops
}

// Objects returns the number of distinct objects, and its standard error as a share of it; 0 if it is exact.
func (t *Touched) Objects() (n int64, off float64) {
	if t.exact() {
		return int64(len(t.sample) + len(t.hot)), 0
	}
	return int64(math.Round(float64(len(t.sample)) * t.scale())), math.Sqrt((1 - 1/t.scale()) / float64(max(1, len(t.sample))))
}

// Bytes returns the bytes of distinct objects, of each the most that one operation transferred; and the standard error as a share.
func (t *Touched) Bytes() (n int64, off float64) {
	var sum, squares float64
	for _, e := range t.sample {
		sum += float64(e.size)
		squares += float64(e.size) * float64(e.size)
	}
	if t.exact() {
		for _, e := range t.hot {
			sum += float64(e.size)
		}
		return int64(sum), 0
	}
	if sum == 0 {
		return 0, 0
	}
	return int64(min(sum*t.scale(), math.MaxInt64/2)), math.Sqrt(squares*(1-1/t.scale())) / sum
}

// Hottest returns which share of the operations used the given share of the objects, those that were used most, and its standard error; 0
// if it is exact. ok is false if that is less than one object.
func (t *Touched) Hottest(share float64) (of, off float64, ok bool) {
	objects, _ := t.Objects()
	want := math.Ceil(share * float64(objects))
	if share*float64(objects) < 1 || t.ops == 0 {
		return 0, 0, false
	}
	ranks, known, rest := t.ranks()
	scale := 1.0 // of the operations of the sample, so that all together are as many as there were
	if rest > 0 {
		scale = (float64(t.ops) - known) / rest
	}
	var sum float64
	end := 0
	for ; end < len(ranks) && want > 0; end++ {
		r := ranks[end]
		n := min(want, r.objects)
		if want -= n; r.objects > 1 {
			sum += n * float64(r.ops) * scale
		} else {
			sum += float64(r.ops)
		}
	}
	return min(1, sum/float64(t.ops)), spread(ranks[:end]) / float64(t.ops), true
}

// spread is the standard error of the operations of the first ranks together. Had one more of their objects been in the sample, it would
// have replaced one of the last rank.
func spread(ranks []rank) float64 {
	var sum float64
	for _, r := range ranks {
		d := float64(r.ops - ranks[len(ranks)-1].ops)
		sum += d * d * r.objects * (r.objects - 1)
	}
	return math.Sqrt(sum)
}

// rank is objects that were used so often.
type rank struct {
	ops     int64
	objects float64 // 1: this one alone, or those that one of the sample stands for
}

// ranks returns the objects, those used most first; the operations of those that count by themselves, and an estimate of the operations of
// the others.
func (t *Touched) ranks() (list []rank, known, rest float64) {
	heavy := touchedHeavy * t.missed
	list = make([]rank, 0, len(t.sample)+len(t.hot))
	for _, e := range t.sample {
		if r := (rank{e.ops, 1}); e.ops > heavy {
			list, known = append(list, r), known+float64(e.ops)
		} else {
			r.objects = t.scale()
			list, rest = append(list, r), rest+r.objects*float64(e.ops)
		}
	}
	for _, e := range t.hot {
		if ops := e.ops + t.missed; ops > heavy {
			list, known = append(list, rank{ops, 1}), known+float64(ops)
		}
	}
	slices.SortFunc(list, func(a, b rank) int { return cmp.Compare(b.ops, a.ops) })
	return list, min(known, float64(t.ops)), rest
}

// merge adds o, which is not modified.
func (t *Touched) merge(o *Touched) {
	sum := tally{ops: t.ops + o.ops, halvings: max(t.halvings, o.halvings), missed: t.missed + o.missed}
	for _, p := range []*Touched{t, o} {
		for _, e := range p.sample {
			sum.place(e)
		}
		for _, e := range p.hot {
			sum.place(e)
		}
	}
	*t = *sum.touched()
}

// joinTouched returns a, which it modifies, with what o used.
func joinTouched(a, o *Touched) *Touched {
	switch {
	case o == nil:
		return a
	case a == nil:
		same := *o // its lists are never modified
		return &same
	}
	a.merge(o)
	return a
}
