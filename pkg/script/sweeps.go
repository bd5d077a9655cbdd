package script

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/search"
)

// sweep is a run that is measured at several values of its flags; each is a phase.
type sweep struct {
	name    string
	grid    search.Grid
	repeats int
	shuffle bool

	streams []stream         // of its points, round by round
	values  [][]search.Value // of the points of a round
	at      place
}

// isSweep reports whether a phase is a run whose load is a sweep.
func isSweep(ph *Phase) bool { return len(ph.Load.Sweep) > 0 && ph.step() == "run" }

// sweep resolves such a run to a stream for each point; nil if there are complaints.
func (r *runs) sweep(ph *Phase, suffix, path string) *sweep {
	name, _ := r.text(ph.Run, path+".run")
	s := &sweep{name: name + suffix, at: place{ph.Load.Sweep[0].Pos, path + ".load.sweep"}}
	if !s.readLoad(r.evaluator, &ph.Load, path+".load") {
		return nil
	}
	base := *ph
	base.Load.Sweep, base.Load.Over, base.Load.Repeats, base.Load.Shuffle = nil, nil, Value{}, Value{}
	if (ph.Until == Until{Note: ph.Until.Note}) {
		base.Until.Time = Value{Text: PointLength.String(), Note: Note{Pos: s.at.pos}}
	}
	if ph.Warmup.IsZero() {
		base.Warmup = Value{Text: PointWarmup.String(), Note: Note{Pos: s.at.pos}}
	}
	before := len(r.list)
	found := make([]bool, len(s.grid))
	s.values = s.grid.Points()
	for round := range s.repeats {
		for _, values := range s.values {
			r.point = &point{s.grid, values, s.at, found}
			one, ok := r.run(&base, repeatName(suffix+","+s.grid.PointName(values), round), path)
			r.point = nil
			if i := slices.Index(found, false); i >= 0 {
				r.add(s.at.pos, s.at.path, "no operation of %s has %s (want a parameter of one, or of its load or data set)", s.name, s.grid[i].Name)
			}
			if !ok || len(r.list) > before { // all points would have the same complaints
				return nil
			}
			s.streams = append(s.streams, one)
		}
	}
	if taken := s.nameForms(r.file.Data); taken != "" {
		r.add(s.at.pos, s.at.path, "data set %q would be that of a point (want another name for yours)", taken)
	}
	return s
}

// order returns the numbers of the streams in the order of measurement.
func (s *sweep) order() []int {
	return search.Order(len(s.values), s.repeats, s.shuffle, s.streams[0].tasks[0].plan.Seed)
}

// readLoad reads what a sweep varies from a load, and how often; ok is false if there are complaints.
func (s *sweep) readLoad(e evaluator, l *Load, path string) (ok bool) {
	before := len(e.list)
	if !l.Search.IsZero() {
		e.add(l.Search.Pos, path+".search", "search and sweep (want one of them)")
	}
	over := place{s.at.pos, path + ".over"}
	if len(l.Over) > 0 {
		over.pos = l.Over[0].Pos
	}
	if s.grid, ok = gridOf(e, l, s.at, over); !ok {
		return false
	}
	s.repeats = 1
	if !l.Repeats.IsZero() {
		n, valid := e.count(l.Repeats, path+".repeats")
		if s.repeats = int(min(n, bench.MaxPhases+1)); valid && n < 1 {
			e.add(l.Repeats.Pos, path+".repeats", "invalid value %d (want 1 or more)", n)
		}
	}
	s.shuffle = e.isTrue(l.Shuffle, path+".shuffle")
	if n := len(s.grid.Points()) * s.repeats; n > bench.MaxPhases {
		e.add(over.pos, over.path, "%d points (want at most %d, with their repeats)", n, bench.MaxPhases)
	}
	return len(e.list) == before
}

// gridOf returns what a sweep varies; ok is false if there are complaints.
func gridOf(e evaluator, l *Load, at, over place) (grid search.Grid, ok bool) {
	texts := e.texts(l.Sweep, at.path)
	if len(l.Over) > 0 {
		if len(texts) != 1 || strings.Contains(texts[0], "=") {
			e.add(over.pos, over.path,
				"over is for one parameter (want sweep: threads with over: [1, 2, 4..16], or sweep: [%q, %q])", "threads=1,2", "obj.size=4KiB,1MiB")
			return nil, false
		}
		texts[0] += "=" + e.joinValues(l.Over, over.path).Text
	} else if i := slices.IndexFunc(texts, func(text string) bool { return !strings.Contains(text, "=") }); i >= 0 {
		e.add(l.Sweep[i].Pos, at.path, "no values of %s (want over: [1, 2, 4..16], or sweep: %q)", texts[i], texts[i]+"=1,2,4..16")
		return nil, false
	}
	grid, err := search.ParseGrid(texts)
	e.report(err, map[string]place{"over": over}, at.pos, at.path)
	return grid, err == nil
}

// setForms are the forms of the objects of data sets, as several sizes, over all points of a sweep.
type setForms map[string][]generator.Spec

// number returns the number of the form that an operation has of its data set, from 0.
func (f setForms) number(t *task) int {
	spec, _ := pointData(&t.plan.Phases[0].Stream, t.plan.Data)
	n := slices.IndexFunc(f[t.set], func(known generator.Spec) bool { return reflect.DeepEqual(known, spec) })
	if n < 0 {
		n, f[t.set] = len(f[t.set]), append(f[t.set], spec)
	}
	return n
}

// nameForms gives each form of a data set a name, if the points have several. It returns a name that the file has given already.
func (s *sweep) nameForms(data DataSets) (taken string) {
	forms := setForms{}
	numbers := make([]map[string]int, len(s.streams)) // of each point: the form that its first operation on a data set has
	for k := range s.streams {
		numbers[k] = map[string]int{}
		for i := range s.streams[k].tasks {
			t := &s.streams[k].tasks[i]
			if _, known := numbers[k][t.set]; !known && t.set != "" {
				numbers[k][t.set] = forms.number(t)
			}
		}
	}
	for k := range s.streams {
		for i := range s.streams[k].tasks {
			t := &s.streams[k].tasks[i]
			n, known := numbers[k][t.set]
			if !known || len(forms[t.set]) < 2 {
				continue
			}
			name := fmt.Sprintf("%s-%d", t.set, n+1)
			if _, taken := data.Lookup(name); taken {
				return name
			}
			t.set = name
		}
	}
	return ""
}
