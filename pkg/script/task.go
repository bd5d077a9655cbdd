package script

import (
	"reflect"
	"strconv"

	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
	"warp/pkg/load"
)

// tasks resolves the operations of a run.
type tasks struct {
	evaluator
	file     *File
	commands func(operation string) Command
	flags    []Param
	unsafe   bool   // there are credentials in the file, and so no plans
	point    *point // of a sweep; nil without one
}

// extras are what a file can say about an operation and its load, and flags cannot.
type extras struct {
	empty      bool // its data set begins without objects
	overwrites bool
	retry      *work.Retry    // nil if it is not sent again
	search     *bench.Search  // nil if the phase is no search
	portion    *bench.Portion // nil if the rate is no share of another
}

// plan returns the plan of a command with these extras.
func (x *extras) plan(cmd Command) (*bench.Plan, error) {
	plan, err := cmd.Plan()
	if err != nil {
		return nil, err
	}
	ph := &plan.Phases[0]
	ph.Retry, ph.Search = x.retry, x.search
	if x.search != nil {
		ph.Duration, x.search.Seed = 0, plan.Seed
	}
	if x.portion != nil { // in place of the rate with which the other flags were checked
		ph.Schedule, ph.Portion = load.Shape{}, x.portion
	}
	switch {
	case x.empty && x.overwrites:
		ph.Params, err = bench.Overwriting(ph.Workload, ph.Params)
	case x.empty:
		ph.Params, err = bench.WithoutObjects(ph.Workload, ph.Params)
	}
	return plan, err
}

// task resolves an operation of a phase. One that follows another has no phase path: limits and loads are not its own.
func (t *tasks) task(ph *Phase, do *Do, at, path string) (task, bool) {
	s := newSetter(t.evaluator, t.commands, do.Op)
	before := len(t.list)
	s.target(&t.file.Target)
	s.options(reflect.ValueOf(t.file).Elem(), "")
	s.flags(t.flags)
	set, _ := t.text(do.Set, joined(at, do.Op))
	if do.Op == replay.Info.Name {
		s.trace(do, set, joined(at, do.Op))
		set = ""
	}
	var x extras
	data, ok := t.file.Data.Lookup(set)
	if ok {
		data, x.empty = asUsed(t.evaluator, t.file.Phases, data, do)
		s.dataSet(data)
	}
	x.overwrites = s.overwrite(do, data, at)
	if path != "" {
		x.search, x.portion = s.load(ph, untilFilled(t.evaluator, ph, data), path)
	}
	s.do(do, ph.OK, at)
	if t.point != nil {
		t.point.set(s)
	}
	out := task{place: place{do.Pos, at}, set: set, cmd: s.cmd, at: s.at, weight: weightOf(t.evaluator, do, at)}
	out.name, _ = t.text(do.Name, at+".name")
	x.retry = retryOf(t.evaluator, do, at)
	if len(t.list) > before || t.unsafe {
		return out, false
	}
	var err error
	out.plan, err = x.plan(s.cmd)
	t.report(err, s.at, do.Pos, at)
	return out, err == nil
}

// weightOf returns the share of turns of an operation; 0 if it states none.
func weightOf(e evaluator, do *Do, path string) float64 {
	text, ok := e.text(do.Weight, path+".weight")
	if !ok {
		return 0
	}
	weight, err := strconv.ParseFloat(text, 64)
	if err != nil || !(weight > 0 && weight <= 1e9) {
		e.add(do.Weight.Pos, path+".weight", "invalid value %q (want a number above 0)", text)
	}
	return weight
}
