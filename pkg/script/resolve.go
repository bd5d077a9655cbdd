package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/gate"
	"warp/pkg/search"
)

// Command is a benchmark with its flags, which make a plan. What a scenario can say is what they can say.
type Command interface {
	Has(flag string) bool
	OfOperation(flag string) bool // it is a parameter of the workload
	OfTarget(flag string) bool    // it is about hosts, requests or uploads
	Flags() []string
	Default(flag string) string
	Set(flag, value string) error
	Plan() (*bench.Plan, error) // of one stream; errors are those of package option, joined
}

// Options are what a file is resolved with.
type Options struct {
	New       func(operation string) Command
	Variables func(name string) (value string, ok bool, err error)
	Output    func(name string) (path string, err error) // of a file to be written
}

// Resolved is what a file says, as a plan.
type Resolved struct {
	Plan   *bench.Plan
	Rules  []Rule // in the order of the file
	Sweeps []search.Sweep
	Target Command // of the first stream

	Recording string // file of all operations; may be empty, as may the other files
	JSON      string // of the report
	Series    string // of a time series
	HTML      string // of the report for browsers
	Metrics   string // address that serves figures during the run

	OnClients map[string][]string // by the name of a stream: clients that take part, as the file names them; all, where it names none
	Share     bool                // several clients share the objects of all runs
	Divided   string              // the first run whose objects they do not share although they share those of others; may be empty
}

// Rule is a rule that the result of a stream must meet.
type Rule struct {
	Stream string // its name in the plan
	Text   string // as it is written
	Broken gate.Rule
	Over   time.Duration // it must be met in any time that is so long; 0: by the whole stream
	Abort  bool          // the run ends when it is violated
	Each   float64       // value of Broken for each client, which all of them must reach together; 0: it is that of all clients
}

// Resolve makes a plan of a file, and returns all that is wrong with what it says as one *Error.
func (f *File) Resolve(o Options) (*Resolved, error) {
	r := &resolver{complaints: &complaints{source: f.source}, Options: o, file: f, used: map[string]bool{}}
	r.credentials()
	r.outputs()
	r.steps(f.Phases, "", "phases")
	if len(r.streams) == 0 && len(r.list) == 0 {
		r.add(f.Pos, "phases", "nothing is measured (want at least one phase with run: LABEL)")
	}
	for i := range f.Data {
		if set := &f.Data[i]; !r.used[set.Name] && len(r.list) == 0 {
			r.add(set.Pos, "data."+set.Name, "no operation uses this data set")
		}
	}
	checkEmptied(r)
	if err := r.err(); err != nil {
		return nil, err
	}
	out := planOf(r)
	if err := r.err(); err != nil {
		return nil, err
	}
	if _, err := bench.Compile(out.Plan); err != nil {
		r.reportPlan(err)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return out, nil
}

// resolver makes a plan of a file.
type resolver struct {
	*complaints
	Options
	file    *File
	phases  []phase
	streams []string // names of all
	used    map[string]bool
	rules   []Rule
	shared  []string // runs whose objects clients share
	emptied []emptied
	cleaned []string // data sets that the last steps delete
	sweeps  []*sweep
	point   *point // of a sweep that is resolved; nil: of none
	secret  bool   // there are credentials in the file
	out     Resolved
}

// phase is what is done side by side: streams that are measured, or steps between them.
type phase struct {
	streams []stream
	steps   []step
	sweep   *sweep         // whose point it is; nil: of none
	values  []search.Value // of the point
}

// step is a step with its place in the file.
type step struct {
	bench.Step
	at place
}

// stream is a measured phase.
type stream struct {
	place   place
	name    string
	clients []string // see Resolved.OnClients
	tasks   []task
}

// task is an operation, with the plan that its command makes of it.
type task struct {
	place  place
	set    string
	name   string  // label of its kinds of operations
	weight float64 // 0: 1
	cmd    Command
	at     map[string]place // of its flags

	after, count int // of one that follows another: its number from 1, and how many times
	same         bool
	plan         *bench.Plan
	search       *bench.Search // of the phase; nil: no search
}

// credentials complains about credentials.
func (r *resolver) credentials() {
	for i := range r.file.Target.Params {
		if p := &r.file.Target.Params[i]; slices.Contains(secret.Credentials, p.Name) {
			r.secret = true
			r.add(p.Pos, "target."+p.Name, "credentials do not belong in a file (want WARP_ACCESS_KEY and WARP_SECRET_KEY, or --%s)", p.Name)
		}
	}
}

// steps resolves phases; suffix is added to their names.
func (r *resolver) steps(list []Phase, suffix, path string) {
	for i := range list {
		ph, at := &list[i], indexed(path, i)
		switch ph.Step() {
		case "parallel":
			r.parallel(ph, suffix, at)
		case "repeat":
			r.repeat(ph, suffix, at)
		case "":
			r.add(ph.Pos, at, "the phase does nothing (want one of %s)", strings.Join(steps(), ", "))
		default:
			if isSweep(ph) {
				resolveSweep(r, ph, suffix, at)
				continue
			}
			var one phase
			r.step(ph, &one, suffix, at)
			r.append(one)
		}
	}
}

// append adds a phase that does something.
func (r *resolver) append(ph phase) {
	if ph.streams != nil || ph.steps != nil {
		r.phases = append(r.phases, ph)
	}
}

// step resolves what is done at one place, alone or side by side with others.
func (r *resolver) step(ph *Phase, to *phase, suffix, path string) {
	kind := ph.Step()
	add := func(pos Pos) func(bench.Step, bool) {
		return func(s bench.Step, ok bool) {
			if ok {
				to.steps = append(to.steps, step{s, place{pos, path + "." + kind}})
			}
		}
	}
	switch kind {
	case "run":
		if s, ok := r.run(ph, suffix, path); ok {
			to.streams = append(to.streams, s)
		}
	case "prepare":
		add(ph.Prepare.Pos)(prepareStep(r, ph, path))
	case "clean":
		add(ph.Clean.Pos)(cleanStep(r, ph, path))
	case "verify":
		add(ph.Verify.Pos)(verifyStep(r, ph, path))
	case "wait":
		add(ph.Wait.Pos)(waitStep(r, ph, path))
	case "exec":
		add(ph.Exec.Pos)(execStep(r, ph, path))
	default:
		r.add(ph.Pos, path, "%s is not possible yet", kind)
	}
}

// parallel resolves phases side by side.
func (r *resolver) parallel(ph *Phase, suffix, path string) {
	var all phase
	for i := range ph.Parallel {
		one, at := &ph.Parallel[i], indexed(path, i)
		switch step := one.Step(); step {
		case "parallel", "repeat", "":
			r.add(one.Pos, at, "%s side by side with other phases is not possible (want run, prepare, clean, verify, wait or exec)", cmp.Or(step, "nothing"))
		default:
			if isSweep(one) {
				r.add(one.Load.Sweep[0].Pos, at+".load.sweep", "a sweep side by side with other phases is not possible (want it as a phase by itself)")
				continue
			}
			r.step(one, &all, suffix, at)
		}
	}
	r.append(all)
}

// repeat resolves phases so many times; the names of each pass end in its number.
func (r *resolver) repeat(ph *Phase, suffix, path string) {
	n, ok := r.count(ph.Repeat, path+".repeat")
	if !ok {
		r.missing(ph.Repeat, path+".repeat")
		return
	}
	if n < 1 || n > bench.MaxPhases {
		r.add(ph.Repeat.Pos, path+".repeat", "invalid value %d (want 1 to %d)", n, bench.MaxPhases)
		return
	}
	for pass := range n {
		if len(r.streams) > bench.MaxPhases {
			r.add(ph.Repeat.Pos, path+".repeat", "more than %d measured phases in all", bench.MaxPhases)
			return
		}
		r.steps(ph.Phases, fmt.Sprintf("%s-%d", suffix, pass+1), path+".phases")
	}
}

// known reports whether there is a data set of a name, and complains if not.
func (r *resolver) known(name string, pos Pos, path string) bool {
	_, ok := r.file.Data.Lookup(name)
	if !ok {
		var names []string
		for i := range r.file.Data {
			names = append(names, r.file.Data[i].Name)
		}
		if names == nil {
			r.add(pos, path, "unknown data set %q (want one below data, as in data: {%s: {objects: 1000, size: 1MiB}})", name, name)
			return false
		}
		r.add(pos, path, "%s", unknown("data set", name, names))
	}
	return ok
}

// first returns the first task of the plan.
func (r *resolver) first() *task {
	i := slices.IndexFunc(r.phases, func(ph phase) bool { return ph.streams != nil })
	return &r.phases[i].streams[0].tasks[0]
}

// report complains about errors of options where they were set, and about others at pos.
func (r *resolver) report(err error, at map[string]place, pos Pos, path string) {
	if err == nil {
		return
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			r.report(e, at, pos, path)
		}
		return
	}
	var o *option.Error
	if errors.As(err, &o) {
		for _, name := range o.Names {
			if p, ok := at[name]; ok {
				if p.pos.IsZero() { // it follows from what the file does not say
					p.pos = pos
				}
				r.list = append(r.list, Complaint{p.pos, p.path, o.Err.Error()})
				return
			}
		}
	}
	r.list = append(r.list, Complaint{pos, path, err.Error()})
}

// joinValues returns a list as one value.
func (r *resolver) joinValues(list []Value, path string) Value {
	var texts []string
	for i, v := range list {
		if text, ok := r.text(v, indexed(path, i)); ok {
			texts = append(texts, text)
		}
	}
	return Value{Text: strings.Join(texts, ","), Note: Note{Pos: list[0].Pos}}
}
