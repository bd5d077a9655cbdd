package script

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/internal/option"
	"warp/internal/secret"
)

// setter sets flags of a command, and remembers where.
type setter struct {
	evaluator
	commands func(operation string) Command
	op       string // name of the operation
	cmd      Command
	at       map[string]place // of the flags
}

func newSetter(e evaluator, commands func(operation string) Command, op string) *setter {
	return &setter{evaluator: e, commands: commands, op: op, cmd: commands(op), at: map[string]place{}}
}

// set sets a flag.
func (s *setter) set(flag, text string, pos Pos, path string) {
	s.at[flag] = place{pos, path}
	if err := s.cmd.Set(flag, text); err != nil {
		s.add(pos, path, "%v", err)
	}
}

// trace sets the file of a replay.
func (s *setter) trace(do *Do, name, path string) {
	if name == "" {
		s.add(do.Pos, path, "no trace (want a file, as in replay: access.log)")
	}
	s.set("trace", name, do.Set.Pos, path)
}

// value sets a flag to a value.
func (s *setter) value(flag string, v Value, path string) {
	if text, ok := s.text(v, path); ok {
		s.set(flag, text, v.Pos, path)
	}
}

// target sets the flags of the target.
func (s *setter) target(t *Target) {
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

// flags sets flags by their names.
func (s *setter) flags(list []Param) {
	for _, p := range list {
		for _, v := range p.Values {
			if s.cmd.Has(p.Name) {
				s.set(p.Name, v.Text, v.Pos, "--"+p.Name)
			}
		}
	}
}

// names returns the flags of a kind, and other names.
func (s *setter) names(of func(string) bool, more ...string) (list []string) {
	for _, name := range s.cmd.Flags() {
		if of(name) && !slices.Contains(secret.Credentials, name) && !slices.Contains(more, name) {
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
	if !s.isTrue(v, path) {
		return
	}
	var with []string
	for _, op := range operations() {
		if s.commands(op).Has(f.flag) {
			with = append(with, op)
		}
	}
	s.add(v.Pos, path, "not possible with %s (want %s)", s.op, option.List(with...))
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
	"size": "size of its data set", "threads": "load: of the phase", "rate": "load: {rate: ...} of the phase",
	"time": "until: of the phase", "duration": "until: of the phase",
}

func (s *setter) unknownParam(name string) string {
	if better, ok := instead[name]; ok {
		return "unknown parameter \"" + name + "\" (want " + better + ")"
	}
	return unknown("parameter", name, s.names(s.cmd.OfOperation, "weight", "ok"))
}
