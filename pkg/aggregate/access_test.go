package aggregate

import (
	"fmt"
	"testing"

	"github.com/cespare/xxhash/v2"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/hist"
	"warp/pkg/op"
)

func TestAccess(t *testing.T) {
	read := func(start, end float64, key string) op.Op {
		return optest.With(optest.Get(start, end), func(o *op.Op) { o.Key = key })
	}
	// In any order: a is read first before the window, b first in it, c once, d failed before it succeeded, end at the end.
	ops := []op.Op{
		read(5, 5.1, "a"), read(0, 1, "a"), read(3, 3.3, "b"), read(1, 1.2, "b"), read(2, 2.7, "c"), read(7, 8, "end"),
		optest.With(read(3.5, 3.6, "d"), func(o *op.Op) { o.Err = "404 NoSuchKey: no" }), read(4, 4.4, "d"),
	}
	g, _ := only(t, Options{}, ops)
	if g.RepeatReads != 2 || g.FirstAccess.Count() != 4 || g.LastAccess.Count() != 5 {
		t.Errorf("reread %d, first %d, last %d", g.RepeatReads, g.FirstAccess.Count(), g.LastAccess.Count())
	}
	testkit.Near(t, "first", g.FirstAccess.Mean(), (0.2+0.7+0.4+1)/4*1e9, 1e-9)
	testkit.Near(t, "last", g.LastAccess.Mean(), (0.1+0.3+0.7+0.4+1)/5*1e9, 1e-9)
	testkit.Near(t, "first TTFB", g.FirstAccessTTFB.Mean(), (0.2+0.7+0.4+1)/8*1e9, 1e-9)
}

func TestAccessLimit(t *testing.T) {
	a := newAccesses(2)
	for i := range 5 {
		a.add(xxhash.Sum64String(fmt.Sprint(i%3)), visit{1, 1, -1}, 0, false)
	}
	g := &group{Group: Group{Kind: op.Get}, to: 10}
	g.setAccesses(a)
	if !g.AccessOmitted || g.FirstAccess != nil || a.list != nil || a.slots != nil {
		t.Errorf("%+v", g)
	}
	other := &Group{Kind: op.Get, RepeatReads: 3, FirstAccess: hist.New(hist.Fine)}
	other.merge(&g.Group)
	if !other.AccessOmitted || other.RepeatReads != 0 || other.FirstAccess != nil {
		t.Errorf("merged %+v", other)
	}
	s := &Snapshot{Groups: []*Group{other}}
	s.Finish()
	if !warned(s, "more than 524288 objects were read") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Many objects, each read a known number of times, with late later reads.
func TestAccessOfManyObjects(t *testing.T) {
	const objects = 3*accessBlock + 5
	a := newAccesses(objects)
	for i := range int64(2 * objects) {
		if i%objects%2 == 0 || i < objects {
			late, open := int64(0), i >= objects
			if open {
				late = 500
			}
			a.add(xxhash.Sum64String(fmt.Sprint("key", i%objects)), visit{1000 + i, i, -1}, late, open)
		}
	}
	g := &group{to: 1 << 40}
	g.setAccesses(a)
	if g.AccessOmitted || g.RepeatReads != objects/2+1 || g.FirstAccess.Count() != objects || g.LastAccess.Count() != objects {
		t.Errorf("reread %d, first %d, last %d", g.RepeatReads, g.FirstAccess.Count(), g.LastAccess.Count())
	}
	// First: 0, 1, ... Last: the odd ones likewise, the even ones a round later and late.
	testkit.Near(t, "first", g.FirstAccess.Mean(), (objects-1)/2., 1e-9)
	testkit.Near(t, "last", g.LastAccess.Mean(), (objects-1)/2.+(objects/2+1)*(objects+500.)/objects, 1e-9)
}
