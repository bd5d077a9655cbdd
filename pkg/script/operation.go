package script

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/units"
)

// place is where a flag was set.
type place struct {
	pos  Pos
	path string
}

// setter sets flags of a command, and remembers where.
type setter struct {
	*resolver
	op  string // name of the operation
	cmd Command
	at  map[string]place

	search  *bench.Search  // of the phase; nil: no search
	portion *bench.Portion // of a rate that was measured, which is that of the phase; nil: it has none
}

// run resolves a measured phase.
func (r *resolver) run(ph *Phase, suffix, path string) (stream, bool) {
	label, ok := r.text(ph.Run, path+".run")
	if !ok {
		r.missing(ph.Run, path+".run")
		return stream{}, false
	}
	label += suffix
	if slices.ContainsFunc(r.streams, func(s string) bool { return strings.EqualFold(s, label) }) {
		r.add(ph.Run.Pos, path+".run", "a second run %q (want a name of its own, by which its results are known)", label)
	}
	r.streams = append(r.streams, label)
	ph = train(r, ph, label, path)
	expect(r, ph, label, path)
	division(r, ph, label, path)
	out := stream{place: place{ph.Run.Pos, path + ".run"}, name: label, clients: clientsOf(r, ph, path)}
	before := len(r.list)
	for i := range ph.Do {
		r.use(&ph.Do[i], indexed(path+".do", i))
	}
	for i := range ph.Do {
		if t, ok := r.task(ph, &ph.Do[i], indexed(path+".do", i), path); ok {
			out.tasks = append(out.tasks, t)
		}
	}
	if len(r.list) == before && !r.secret {
		out.tasks = append(out.tasks, following(r, ph, path)...)
	}
	return out, len(r.list) == before && len(out.tasks) > 0
}

// task resolves an operation of a phase. One that follows another has no phase path: limits and loads are not its own.
func (r *resolver) task(ph *Phase, do *Do, at, path string) (task, bool) {
	s := &setter{resolver: r, op: do.Op, cmd: r.New(do.Op), at: map[string]place{}}
	before := len(r.list)
	s.target()
	s.options(reflect.ValueOf(r.file).Elem(), "")
	set, _ := r.text(do.Set, at)
	empty := false
	if do.Op == bench.ReplayInfo.Name {
		s.trace(set, do.Set.Pos, at+"."+do.Op)
		set = ""
	}
	known, ok := r.file.Data.Lookup(set)
	if ok {
		known, empty = asUsed(r, known, do)
		setDataSet(s, known)
	}
	overwrites := setOverwrite(s, do, known, at)
	if path != "" {
		s.load(ph, untilFilled(s, ph, known), path)
	}
	s.do(do, ph.OK, at)
	setPoint(s)
	t := task{place: place{do.Pos, at}, set: set, cmd: s.cmd, at: s.at}
	t.name, _ = r.text(do.Name, at+".name")
	if text, ok := r.text(do.Weight, at+".weight"); ok {
		var err error
		if t.weight, err = strconv.ParseFloat(text, 64); err != nil || !(t.weight > 0 && t.weight <= 1e9) {
			r.add(do.Weight.Pos, at+".weight", "invalid value %q (want a number above 0)", text)
		}
	}
	retry := retryOf(r, do, at)
	if len(r.list) > before || r.secret {
		return t, false
	}
	plan, err := s.cmd.Plan()
	if err == nil {
		plan.Phases[0].Retry = retry
	}
	if err == nil && empty {
		err = withoutObjects(&plan.Phases[0].Stream, overwrites)
	}
	r.report(err, s.at, do.Pos, at)
	if err == nil && s.portion != nil { // in place of the rate with which the other flags were checked
		plan.Phases[0].Schedule, plan.Phases[0].Portion = load.Shape{}, s.portion
	}
	if t.plan, t.search = plan, s.search; err == nil && s.search != nil {
		plan.Phases[0].Duration, s.search.Seed = 0, plan.Seed
	}
	return t, err == nil
}

// use checks the data sets of an operation, and of those that follow it.
func (r *resolver) use(do *Do, path string) {
	for i := range do.Then {
		if next := &do.Then[i]; next.Set.Text != same {
			r.use(next, indexed(path+".then", i))
		}
	}
	if do.Set.IsZero() || do.Op == bench.ReplayInfo.Name { // whose file it is
		return
	}
	name, ok := r.text(do.Set, path+"."+do.Op)
	if !ok {
		r.missing(do.Set, path+"."+do.Op)
	} else if r.known(name, do.Set.Pos, path+"."+do.Op) {
		r.used[name] = true
	}
}

// set sets a flag.
func (s *setter) set(flag, text string, pos Pos, path string) {
	s.at[flag] = place{pos, path}
	if err := s.cmd.Set(flag, text); err != nil {
		s.add(pos, path, "%v", err)
	}
}

// trace sets the file of a replay.
func (s *setter) trace(name string, pos Pos, path string) {
	if name == "" {
		s.add(pos, path, "no trace (want a file, as in replay: access.log)")
	}
	s.set("trace", name, pos, path)
}

// value sets a flag to a value.
func (s *setter) value(flag string, v Value, path string) {
	if text, ok := s.text(v, path); ok {
		s.set(flag, text, v.Pos, path)
	}
}

// target sets the flags of the target.
func (s *setter) target() {
	t := &s.file.Target
	if len(t.Hosts) > 0 {
		s.value("host", s.joinValues(t.Hosts, "target.hosts"), "target.hosts")
	}
	for _, v := range []struct {
		flag string
		Value
	}{{"bucket", t.Bucket}, {"region", t.Region}} {
		if !v.IsZero() {
			s.value(v.flag, v.Value, "target."+v.flag)
		}
	}
	for i := range t.Params {
		p := &t.Params[i]
		path := "target." + p.Name
		if slices.Contains(secret.Credentials, p.Name) {
			continue // there is a complaint about it
		}
		if !s.cmd.OfTarget(p.Name) {
			s.add(p.Pos, path, "%s", unknown("option", p.Name, s.names(s.cmd.OfTarget, "hosts", "bucket", "region")))
			continue
		}
		for j, v := range p.Values {
			s.value(p.Name, v, indexed(path, j))
		}
	}
}

// names returns the flags of a kind, and other names.
func (s *setter) names(of func(string) bool, more ...string) (list []string) {
	for _, name := range s.cmd.Flags() {
		if of(name) && !slices.Contains(secret.Credentials, name) {
			list = append(list, name)
		}
	}
	return append(more, list...)
}

// options sets the flags that keys of a struct stand for.
func (s *setter) options(v reflect.Value, path string) {
	for _, f := range fieldsOf(v.Type()).list {
		if f.flag == "" || v.Field(f.index).IsZero() {
			continue
		}
		var val Value
		at := joined(path, f.key)
		switch from := v.Field(f.index).Interface().(type) {
		case Value:
			val = from
		case []Value:
			val = s.joinValues(from, at)
		}
		s.option(f, val, at)
	}
}

// option sets the flag of a key, in the form that the flag takes.
func (s *setter) option(f field, v Value, path string) {
	switch {
	case !s.cmd.Has(f.flag) && f.needs:
		s.needs(f, v, path)
		return
	case !s.cmd.Has(f.flag) && !f.some:
		s.add(v.Pos, path, "not possible yet")
		return
	case !s.cmd.Has(f.flag), f.flag == "objects" && s.cmd.Default("objects") == "0":
		_, _ = s.text(v, path) // a property of the data set, without a meaning for this operation; its variables count
		return
	}
	text, ok := s.text(v, path)
	if !ok {
		return
	}
	v.Text = text
	switch f.is {
	case "count":
		if n, ok := s.count(v, path); ok {
			s.set(f.flag, strconv.FormatInt(n, 10), v.Pos, path)
		}
	case "steady":
		s.steady(v, path)
	default:
		s.value(f.flag, v, path)
	}
}

// needs complains about a key that is true, and that the operation has no flag for.
func (s *setter) needs(f field, v Value, path string) {
	text, ok := s.text(v, path)
	on, err := strconv.ParseBool(text)
	switch {
	case !ok:
	case err != nil:
		s.add(v.Pos, path, "invalid value %q (want true or false)", text)
	case on:
		var with []string
		for _, op := range operations() {
			if s.New(op).Has(f.flag) {
				with = append(with, op)
			}
		}
		s.add(v.Pos, path, "not possible with %s (want %s)", s.op, option.List(with...))
	}
}

// steady sets the flags of autoterm.
func (s *setter) steady(v Value, path string) {
	text, ok := s.text(v, path)
	if !ok {
		return
	}
	percents, length, timed := strings.Cut(text, "/")
	percent, slope, hasSlope := strings.Cut(percents, ",")
	percent, sign := strings.CutSuffix(strings.TrimSpace(percent), "%")
	slope, slopeSign := strings.CutSuffix(strings.TrimSpace(slope), "%")
	if !sign || hasSlope && !slopeSign {
		s.add(v.Pos, path, "invalid value %q (want a percentage as in 7.5%%, or 7.5%%/15s; or range and slope, as in 20%%,10%%/1m)", text)
		return
	}
	s.set("autoterm", "true", v.Pos, path)
	s.set("autoterm.pct", percent, v.Pos, path)
	if hasSlope {
		s.set("autoterm.slope", slope, v.Pos, path)
	}
	if timed {
		s.set("autoterm.dur", length, v.Pos, path)
	}
}

// load sets the flags of the load, and of what ends the phase.
func (s *setter) load(ph *Phase, until Until, path string) {
	l := ph.Load
	if len(l.Over) > 0 || !l.Repeats.IsZero() || !l.Shuffle.IsZero() {
		s.add(l.Pos, path+".load", "over, repeats and shuffle belong to a sweep, as in {sweep: threads, over: [1, 2, 4..16]}")
	}
	l.Repeats, l.Shuffle = Value{}, Value{}
	s.search = searchOf(s, ph, &l, path)
	s.shapes(&l, path+".load")
	s.options(reflect.ValueOf(&l).Elem(), path+".load")
	s.impossible(reflect.ValueOf(&l).Elem(), path+".load")
	s.options(reflect.ValueOf(&until).Elem(), path+".until")
	s.options(reflect.ValueOf(ph).Elem(), path)
}

// impossible complains about keys that have no flag.
func (s *setter) impossible(v reflect.Value, path string) {
	for _, f := range fieldsOf(v.Type()).list {
		val, ok := v.Field(f.index).Interface().(Value)
		if ok && f.flag == "" && !val.IsZero() {
			s.add(val.Pos, joined(path, f.key), "not possible yet")
		}
	}
}

// do sets the parameters of an operation.
func (s *setter) do(do *Do, outcomes []Value, path string) {
	for i := range do.Params {
		p := &do.Params[i]
		at, name := path+"."+p.Name, cmp.Or(plurals[p.Name], p.Name)
		switch {
		case isOperation(p.Name):
		case !s.cmd.OfOperation(name):
			s.add(p.Pos, path, "%s: %s", do.Op, s.unknownParam(p.Name))
		case strings.HasPrefix(s.at[name].path, path+"."):
			s.add(p.Pos, path, "%s: %s and %s are the same (want one of them)", do.Op, strings.TrimPrefix(s.at[name].path, path+"."), p.Name)
		case len(p.Values) > 0:
			if all := s.joinValues(p.Values, at); all.Text != "" || p.Values[0].Text == "" {
				s.value(name, all, at)
			}
		}
	}
	if list := slices.Concat(outcomes, do.OK); len(list) > 0 {
		if all := s.joinValues(list, path+".ok"); all.Text != "" {
			s.value("ok", all, path+".ok")
		}
	}
}

// plurals are other names of parameters that take a list.
var plurals = map[string]string{"ranges": "range"}

// instead are parameters that other tools have by another name.
var instead = map[string]string{
	"page": "max-keys", "parts-parallel": "part.concurrent", "part-get": "part.size",
	"size": "size of its data set", "threads": "load: of the phase", "rate": "load: {rate: ...} of the phase", "time": "until: of the phase", "duration": "until: of the phase",
}

func (s *setter) unknownParam(name string) string {
	if better, ok := instead[name]; ok {
		return "unknown parameter \"" + name + "\" (want " + better + ")"
	}
	return unknown("parameter", name, s.names(s.cmd.OfOperation, "weight", "ok"))
}

// count returns a number, which may end in k, M or G.
func (r *resolver) count(v Value, path string) (int64, bool) {
	text, ok := r.text(v, path)
	if !ok {
		return 0, false
	}
	n, err := units.ParseCount(text)
	if err != nil || n > math.MaxInt64 {
		r.add(v.Pos, path, "invalid value %q (want a whole number, as in 2500, 10k or 1M)", text)
		return 0, false
	}
	return int64(n), true
}
