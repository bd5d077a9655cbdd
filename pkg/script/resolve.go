package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/secret"
	"warp/pkg/bench"
)

// Resolve makes a plan of a file, and returns all that is wrong with what it says as one *Error.
func (f *File) Resolve(o Options) (*Resolved, error) {
	e := evaluator{&complaints{source: f.source}, o.Variables}
	r := &resolver{
		evaluator: e,
		file:      f,
		output:    o.Output,
		runs:      runs{tasks: tasks{evaluator: e, file: f, commands: o.New, flags: o.Flags}, used: map[string]bool{}},
		between:   between{evaluator: e, file: f},
	}
	r.credentials()
	r.small()
	out := &Resolved{OnClients: map[string][]string{}}
	r.outputs(out)
	r.steps(f.Phases, "", "phases")
	r.checkUse()
	if err := r.err(); err != nil {
		return nil, err
	}
	out.Rules = r.runs.rules
	out.Share, out.Divided = r.runs.division()
	a := assembly{r.complaints, r.phases, r.sweeps, out}
	a.plan()
	if err := r.err(); err != nil {
		return nil, err
	}
	if _, err := bench.Compile(out.Plan); err != nil {
		l := locator{r.complaints, f, a.phases, out.Plan}
		l.complain(err)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return out, nil
}

// resolver resolves the phases of a file.
type resolver struct {
	evaluator
	file    *File
	output  func(name string) (path string, err error)
	runs    runs
	between between
	phases  sequence
	sweeps  []*sweep
}

// credentials complains about credentials.
func (r *resolver) credentials() {
	for i := range r.file.Target.Params {
		if p := &r.file.Target.Params[i]; slices.Contains(secret.Credentials, p.Name) {
			r.runs.unsafe = true
			r.add(p.Pos, "target."+p.Name, "credentials do not belong in a file (want WARP_ACCESS_KEY and WARP_SECRET_KEY, or --%s)", p.Name)
		}
	}
}

// outputs resolves where results go.
func (r *resolver) outputs(out *Resolved) {
	from := &r.file.Outputs
	out.Recording = r.path(from.Recording, "outputs.recording")
	out.JSON = r.path(from.JSON, "outputs.json")
	out.Series = r.path(from.Series, "outputs.series")
	out.HTML = r.path(from.HTML, "outputs.html")
	out.Metrics, _ = r.text(from.Metrics, "outputs.metrics")
}

// path returns the path of a file to be written; empty if there is none.
func (r *resolver) path(v Value, at string) string {
	name, ok := r.text(v, at)
	if !ok {
		return ""
	}
	path, err := r.output(name)
	if err != nil {
		r.add(v.Pos, at, "%v", err)
	}
	return path
}

// small complains about values of variables that the file does not have, whether they are asked for or not.
func (r *resolver) small() {
	known := r.file.Variables()
	for i := range r.file.Small.Values {
		p := &r.file.Small.Values[i]
		path := "small." + p.Name
		switch {
		case len(known) == 0:
			r.add(p.Pos, path, "the file has no variable (want one, as in ${%s:-1MiB})", p.Name)
		case !slices.Contains(known, p.Name):
			r.add(p.Pos, path, "%s", unknown("variable", p.Name, known))
		case len(p.Values) != 1:
			r.add(p.Pos, path, "a list where a single value belongs")
		case strings.Contains(p.Values[0].Text, "${"):
			r.add(p.Values[0].Pos, path, "invalid value %q (want a value without a variable)", p.Values[0].Text)
		}
	}
}

// checkUse complains about a file that measures nothing, or does not use all of its data sets.
func (r *resolver) checkUse() {
	if len(r.runs.names) == 0 && len(r.list) == 0 {
		r.add(r.file.Pos, "phases", "nothing is measured (want at least one phase with run: LABEL)")
	}
	for i := range r.file.Data {
		if set := &r.file.Data[i]; !r.runs.used[set.Name] && len(r.list) == 0 {
			r.add(set.Pos, "data."+set.Name, "no operation uses this data set")
		}
	}
	r.between.checkEmptied(len(r.runs.names))
}

// steps resolves phases; suffix is added to their names.
func (r *resolver) steps(list []Phase, suffix, path string) {
	for i := range list {
		ph, at := &list[i], indexed(path, i)
		switch ph.step() {
		case "parallel":
			r.parallel(ph, suffix, at)
		case "repeat":
			r.repeat(ph, suffix, at)
		case "":
			r.add(ph.Pos, at, "the phase does nothing (want one of %s)", strings.Join(steps(), ", "))
		default:
			if isSweep(ph) {
				r.sweep(ph, suffix, at)
				continue
			}
			var one phase
			r.step(ph, &one, suffix, at)
			r.phases.append(one)
		}
	}
}

// step resolves what is done at one place, alone or in parallel with others.
func (r *resolver) step(ph *Phase, to *phase, suffix, path string) {
	if ph.step() == "run" {
		if s, ok := r.runs.run(ph, suffix, path); ok {
			to.streams = append(to.streams, s)
		}
		return
	}
	if s, ok := r.between.step(ph, path, len(r.runs.names)); ok {
		to.steps = append(to.steps, s)
	}
}

// sweep resolves a run to a phase for each point.
func (r *resolver) sweep(ph *Phase, suffix, path string) {
	s := r.runs.sweep(ph, suffix, path)
	if s == nil {
		return
	}
	r.sweeps = append(r.sweeps, s)
	for _, k := range s.order() {
		r.phases.append(phase{streams: s.streams[k : k+1], sweep: s, values: s.values[k%len(s.values)]})
	}
}

// parallel resolves parallel phases.
func (r *resolver) parallel(ph *Phase, suffix, path string) {
	var all phase
	for i := range ph.Parallel {
		one, at := &ph.Parallel[i], indexed(path, i)
		switch step := one.step(); step {
		case "parallel", "repeat", "":
			r.add(one.Pos, at,
				"%s in parallel with other phases is not possible (want run, prepare, clean, verify, wait or exec)", cmp.Or(step, "nothing"))
		default:
			if isSweep(one) {
				r.add(one.Load.Sweep[0].Pos, at+".load.sweep", "a sweep in parallel with other phases is not possible (want it as a phase by itself)")
				continue
			}
			r.step(one, &all, suffix, at)
		}
	}
	r.phases.append(all)
}

// repeat resolves phases several times; the names of each pass end in its number.
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
		if len(r.runs.names) > bench.MaxPhases {
			r.add(ph.Repeat.Pos, path+".repeat", "more than %d measured phases in all", bench.MaxPhases)
			return
		}
		r.steps(ph.Phases, fmt.Sprintf("%s-%d", suffix, pass+1), path+".phases")
	}
}
