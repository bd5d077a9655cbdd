package script

import (
	"reflect"

	"warp/pkg/bench"
)

// load sets the flags of a phase's load, and of what ends the phase. It returns what flags cannot say; nil where there is none.
func (s *setter) load(ph *Phase, until Until, path string) (*bench.Search, *bench.Portion) {
	l := ph.Load
	at := path + ".load"
	if len(l.Over) > 0 || !l.Repeats.IsZero() || !l.Shuffle.IsZero() {
		s.add(l.Pos, at, "over, repeats and shuffle belong to a sweep, as in {sweep: threads, over: [1, 2, 4..16]}")
	}
	l.Repeats, l.Shuffle = Value{}, Value{}
	search := splitSearch(s.evaluator, ph, &l, path)
	if search != nil {
		s.at["budget"], s.at["trial"] = place{ph.Load.Budget.Pos, at + ".budget"}, place{ph.Load.Trial.Pos, at + ".trial"}
		s.at["control"] = place{ph.Load.Search.Pos, at + ".search"}
	}
	joinShapes(s.evaluator, &l, at)
	portion := splitPortion(s.evaluator, &l, at+".rate")
	s.options(reflect.ValueOf(&l).Elem(), at)
	s.impossible(reflect.ValueOf(&l).Elem(), at)
	s.options(reflect.ValueOf(&until).Elem(), path+".until")
	s.options(reflect.ValueOf(ph).Elem(), path)
	return search, portion
}
