package script

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/search"
)

// sweep is a run that is measured at several values of its flags, each of which is a phase.
type sweep struct {
	name    string
	grid    search.Grid
	repeats int
	shuffle bool

	streams []stream         // of its points, round by round
	values  [][]search.Value // of the points of a round
	at      place
	found   []bool // for each flag: an operation has it
}

// point is what flags are set to at a point of a sweep.
type point struct {
	of     *sweep
	values []search.Value
}

// isSweep reports whether a phase is a run whose load is a sweep.
func isSweep(ph *Phase) bool { return len(ph.Load.Sweep) > 0 && ph.Step() == "run" }

// resolveSweep resolves such a run to a phase for each point.
func resolveSweep(r *resolver, ph *Phase, suffix, path string) {
	name, _ := r.text(ph.Run, path+".run")
	s := &sweep{name: name + suffix, at: place{ph.Load.Sweep[0].Pos, path + ".load.sweep"}}
	if !gridOf(r, s, &ph.Load, path+".load") {
		return
	}
	r.sweeps = append(r.sweeps, s)
	base := *ph
	base.Load.Sweep, base.Load.Over, base.Load.Repeats, base.Load.Shuffle = nil, nil, Value{}, Value{}
	if (ph.Until == Until{Note: ph.Until.Note}) {
		base.Until.Time = Value{Text: PointLength.String(), Note: Note{Pos: s.at.pos}}
	}
	if ph.Warmup.IsZero() {
		base.Warmup = Value{Text: PointWarmup.String(), Note: Note{Pos: s.at.pos}}
	}
	before := len(r.list)
	s.values = s.grid.Points()
	for round := range s.repeats {
		for _, values := range s.values {
			r.point = &point{s, values}
			one, ok := r.run(&base, repeatName(suffix+","+s.grid.PointName(values), round), path)
			r.point = nil
			if i := slices.Index(s.found, false); i >= 0 {
				r.add(s.at.pos, s.at.path, "no operation of %s has %s (want a parameter of one, or of its load or data set)", s.name, s.grid[i].Name)
			}
			if !ok || len(r.list) > before { // all points would have the same complaints
				return
			}
			s.streams = append(s.streams, one)
		}
	}
	nameForms(r, s)
	for _, k := range search.Order(len(s.values), s.repeats, s.shuffle, s.streams[0].tasks[0].plan.Seed) {
		r.phases = append(r.phases, phase{streams: s.streams[k : k+1], sweep: s, values: s.values[k%len(s.values)]})
	}
}

// gridOf takes what a sweep varies out of a load; ok is false if there are complaints.
func gridOf(r *resolver, s *sweep, l *Load, path string) (ok bool) {
	before := len(r.list)
	if !l.Search.IsZero() {
		r.add(l.Search.Pos, path+".search", "search beside sweep (want one of them)")
	}
	var texts []string
	for i, v := range l.Sweep {
		if text, given := r.text(v, indexed(path+".sweep", i)); given {
			texts = append(texts, text)
		}
	}
	over := place{s.at.pos, path + ".over"}
	if len(l.Over) > 0 {
		over.pos = l.Over[0].Pos
		if len(texts) != 1 || strings.Contains(texts[0], "=") {
			r.add(over.pos, over.path, "over is for one parameter (want sweep: threads with over: [1, 2, 4..16], or sweep: [\"threads=1,2\", \"obj.size=4KiB,1MiB\"])")
			return false
		}
		texts[0] += "=" + r.joinValues(l.Over, path+".over").Text
	} else if i := slices.IndexFunc(texts, func(text string) bool { return !strings.Contains(text, "=") }); i >= 0 {
		r.add(l.Sweep[i].Pos, path+".sweep", "no values of %s (want over: [1, 2, 4..16], or sweep: %q)", texts[i], texts[i]+"=1,2,4..16")
		return false
	}
	var err error
	s.grid, err = search.ParseGrid(texts)
	if err != nil {
		r.report(err, map[string]place{"over": over}, s.at.pos, s.at.path)
		return false
	}
	s.found = make([]bool, len(s.grid))
	s.repeats = 1
	if !l.Repeats.IsZero() {
		n, valid := r.count(l.Repeats, path+".repeats")
		if s.repeats = int(min(n, bench.MaxPhases+1)); valid && n < 1 {
			r.add(l.Repeats.Pos, path+".repeats", "invalid value %d (want 1 or more)", n)
		}
	}
	if text, given := r.text(l.Shuffle, path+".shuffle"); given {
		if s.shuffle, err = strconv.ParseBool(text); err != nil {
			r.add(l.Shuffle.Pos, path+".shuffle", "invalid value %q (want true or false)", text)
		}
	}
	if n := len(s.grid.Points()) * s.repeats; n > bench.MaxPhases {
		r.add(over.pos, over.path, "%d points (want at most %d, with their repeats)", n, bench.MaxPhases)
	}
	return len(r.list) == before
}

// setPoint sets the flags of an operation to the values of the point that is resolved, if it has them.
func setPoint(s *setter) {
	p := s.point
	if p == nil {
		return
	}
	for i, v := range p.values {
		flag, at := p.of.grid[i].Flag(), p.of.at
		switch {
		case s.cmd.OfTarget(flag):
			p.of.found[i] = true
			s.report(errOfTarget(p.of.grid[i].Name), map[string]place{"over": at}, at.pos, at.path)
		case s.cmd.Has(flag):
			p.of.found[i] = true
			s.set(flag, v.Text, at.pos, at.path)
		}
	}
}

// nameForms gives a data set of whose objects the points have several forms, as several sizes, a name for each.
func nameForms(r *resolver, s *sweep) {
	forms := map[string][]generator.Spec{}
	formOf := func(t *task) (n int) {
		spec, _ := pointData(&t.plan.Phases[0].Stream, t.plan.Data)
		n = slices.IndexFunc(forms[t.set], func(known generator.Spec) bool { return reflect.DeepEqual(known, spec) })
		if n < 0 {
			n, forms[t.set] = len(forms[t.set]), append(forms[t.set], spec)
		}
		return n
	}
	names := make([]map[string]int, len(s.streams)) // of each point: the form that its first operation on a data set has
	for k := range s.streams {
		names[k] = map[string]int{}
		for i := range s.streams[k].tasks {
			if t := &s.streams[k].tasks[i]; t.set != "" {
				if _, known := names[k][t.set]; !known {
					names[k][t.set] = formOf(t)
				}
			}
		}
	}
	for k := range s.streams {
		for i := range s.streams[k].tasks {
			t := &s.streams[k].tasks[i]
			if n, known := names[k][t.set]; known && len(forms[t.set]) > 1 {
				name := fmt.Sprintf("%s-%d", t.set, n+1)
				if _, taken := r.file.Data.Lookup(name); taken {
					r.add(s.at.pos, s.at.path, "data set %q would be that of a point (want another name for yours)", name)
					return
				}
				t.set = name
			}
		}
	}
}

// onlySweep returns the sweep that a file consists of, if it makes the plan of a command; nil: it does not.
func onlySweep(r *resolver) *sweep {
	if len(r.sweeps) != 1 || len(r.sweeps[0].streams) != len(r.phases) {
		return nil
	}
	for i := range r.phases {
		if ph := &r.phases[i]; ph.sweep == nil || len(ph.streams[0].tasks) != 1 || ph.streams[0].tasks[0].name != "" {
			return nil
		}
	}
	return r.sweeps[0]
}

// planOfSweep makes the plan of a file that is one sweep of one operation: that of "warp sweep".
func planOfSweep(r *resolver, s *sweep, out *Resolved) {
	name := s.name
	if name == s.streams[0].tasks[0].plan.Phases[0].Workload {
		name = "" // as without a file
	}
	points := NewPoints(name, s.grid)
	for i, values := range s.values {
		if err := points.Add(values, s.streams[i].tasks[0].plan); err != nil {
			r.report(err, map[string]place{"over": s.at}, s.at.pos, s.at.path)
			return
		}
	}
	points.Arrange(s.repeats, s.shuffle)
	points.Plan.KeepData, points.Plan.KeepSets = out.Plan.KeepData, out.Plan.KeepSets
	out.Plan, out.Sweeps = &points.Plan, []search.Sweep{points.Sweep}
	for i := range r.phases {
		rename(out, &r.phases[i].streams[0], points.Sweep.Points[i].Phase)
	}
}

// addPoint adds a phase to its sweep, of a file with other phases too.
func addPoint(out *Resolved, ph *phase, name string) {
	n := len(out.Sweeps) - 1
	if n < 0 || out.Sweeps[n].Stream != ph.sweep.name {
		n++
		out.Sweeps = append(out.Sweeps, search.Sweep{Stream: ph.sweep.name, Over: ph.sweep.grid.Names()})
	}
	out.Sweeps[n].Points = append(out.Sweeps[n].Points, search.SweepPoint{Phase: name, Values: ph.values})
}
