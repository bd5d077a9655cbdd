package script

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/search"
)

// Of the points of a sweep, unless it states otherwise.
const (
	PointLength = 10 * time.Second
	PointWarmup = 3 * time.Second
)

// Points makes the plan of a sweep out of plans of one phase, which are its points.
type Points struct {
	Plan  bench.Plan
	Sweep search.Sweep
	grid  search.Grid
}

// SweepLoad returns the load of a sweep, of what --over says.
func SweepLoad(over []string, repeats int, shuffle bool) (l Load) {
	if name, values, _ := strings.Cut(over[0], "="); len(over) == 1 {
		l.Sweep, l.Over = Texts(strings.TrimPrefix(strings.TrimSpace(name), "--")), Texts(strings.Split(values, ",")...)
	} else {
		l.Sweep = Texts(over...)
	}
	if repeats > 1 {
		l.Repeats = Text(strconv.Itoa(repeats))
	}
	if shuffle {
		l.Shuffle = Text("true")
	}
	return l
}

// NewPoints returns a sweep without points. Its name may be empty.
func NewPoints(name string, grid search.Grid) *Points {
	return &Points{Sweep: search.Sweep{Stream: name, Over: grid.Names()}, grid: grid}
}

// pointName returns the name of the phase of a point; the sweep may have none.
func pointName(sweep string, grid search.Grid, values []search.Value) string {
	if sweep == "" {
		return grid.PointName(values)
	}
	return sweep + "," + grid.PointName(values)
}

// repeatName returns the name of a point in a round, counted from 0.
func repeatName(name string, round int) string {
	if round == 0 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, round+1)
}

// Add adds a point.
func (p *Points) Add(values []search.Value, plan *bench.Plan) error {
	ph := plan.Phases[0]
	ph.Name = pointName(p.Sweep.Stream, p.grid, values)
	plan.Target.Concurrency = 0 // of the run: what its points have at most
	if len(p.Sweep.Points) == 0 {
		p.Plan = *plan
		p.Plan.Phases, p.Plan.Sets = nil, map[string]generator.Spec{}
	}
	if !reflect.DeepEqual(plan.Target, p.Plan.Target) {
		return errOfTarget(strings.Join(p.Sweep.Over, " or "))
	}
	p.chooseSet(&ph, plan.Data)
	p.Plan.Phases = append(p.Plan.Phases, ph)
	p.Sweep.Points = append(p.Sweep.Points, search.SweepPoint{Phase: ph.Name, Values: values})
	return nil
}

// errOfTarget is the error for flags that all requests of a run have in common.
func errOfTarget(flags string) error {
	return option.Errorf("over", "%s cannot vary within a run, since all requests have it in common; use several runs", flags)
}

// chooseSet has points work on one data set, if all of them describe the same one and only read it, or only add objects with keys of a
// template, which would be the same in two data sets. Others have one of their own.
func (p *Points) chooseSet(ph *bench.Phase, data generator.Spec) {
	data, shared := pointData(&ph.Stream, data)
	if !shared && reflect.DeepEqual(data, p.Plan.Data) {
		return
	}
	for name, spec := range p.Plan.Sets {
		if shared && reflect.DeepEqual(spec, data) {
			ph.Set = name
			return
		}
	}
	ph.Set = fmt.Sprintf("objects-%d", len(p.Plan.Sets)+1)
	p.Plan.Sets[ph.Set] = data
}

// pointData returns the objects of a point, and whether other points can work on them too.
func pointData(st *bench.Stream, data generator.Spec) (spec generator.Spec, shared bool) {
	w, reads := bench.WorkloadOf(st)
	if size := w.Traits().Size; size > 0 {
		data.Sizes = generator.Sizes{Min: size, Max: size}
	}
	return data, reads || data.Keys != "" && w.Traits().Effect == work.Adds
}

// Arrange repeats the points, and shuffles each round of them.
func (p *Points) Arrange(repeats int, shuffle bool) {
	phases, points := p.Plan.Phases, p.Sweep.Points
	p.Plan.Phases, p.Sweep.Points = nil, nil
	for _, k := range search.Order(len(points), repeats, shuffle, p.Plan.Seed) {
		ph, point := phases[k%len(points)], points[k%len(points)]
		ph.Name = repeatName(ph.Name, k/len(points))
		point.Phase = ph.Name
		p.Plan.Phases, p.Sweep.Points = append(p.Plan.Phases, ph), append(p.Sweep.Points, point)
	}
}
