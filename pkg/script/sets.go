package script

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/bench/work"
	"warp/pkg/units"
)

// statedObjects returns the number of objects that a data set states; 0 if it states none.
func statedObjects(e evaluator, set *DataSet) uint64 {
	text, _ := e.text(set.Objects, "data."+set.Name+".objects")
	n, err := units.ParseCount(text)
	if err != nil {
		return 0
	}
	return n
}

// asUsed returns a data set as an operation uses it. One that is empty at the beginning has objects which other operations add.
func asUsed(e evaluator, phases []Phase, set *DataSet, do *Do) (as *DataSet, empty bool) {
	if do.addsObjects() || !beginsEmpty(e, phases, set) {
		return set, false
	}
	without := *set
	without.Objects = anyNumber(set.Objects)
	return &without, true
}

// anyNumber returns a number of objects for which each order of access is possible.
func anyNumber(v Value) Value {
	return Value{Text: strconv.FormatUint(work.MaxObjects, 10), Note: Note{Pos: v.Pos}}
}

// beginsEmpty reports whether a data set is empty at the beginning: runs add objects to it, and it states no number, or the first phase
// that works on it does nothing else.
func beginsEmpty(e evaluator, phases []Phase, set *DataSet) bool {
	if statedObjects(e, set) == 0 {
		return fills(phases, set.Name)
	}
	only, used := firstUse(phases, set.Name)
	return used && only
}

// dataSet sets the flags of a data set.
func (s *setter) dataSet(set *DataSet) {
	path := "data." + set.Name
	s.options(reflect.ValueOf(set).Elem(), path)
	if text, ok := s.text(set.Grow, path+".grow"); ok && text != "true" {
		s.add(set.Grow.Pos, path+".grow", "invalid value %q (want true: reads use what phases add)", text)
	}
	c := &set.Content
	if text, ok := contentOf(s.evaluator, c, path+".content"); ok {
		flag := "obj.content"
		if !s.cmd.Has(flag) {
			flag = "obj.generator"
		}
		s.set(flag, text, c.Pos, path+".content")
	}
}

// contentOf returns contents as their flag takes them.
func contentOf(e evaluator, c *Content, path string) (string, bool) {
	var parts []string
	for _, p := range []struct {
		Value
		form string
	}{{c.Kind, "*"}, {c.Compressible, "compressible=*"}, {c.Duplicate, "duplicate=*"}, {c.Files, "file(*)"}} {
		if text, ok := e.text(p.Value, path); ok && !p.IsZero() {
			parts = append(parts, strings.Replace(p.form, "*", text, 1))
		}
	}
	if block, ok := e.text(c.Block, path+".duplicate-block"); ok && !c.Block.IsZero() {
		i := slices.IndexFunc(parts, func(part string) bool { return strings.HasPrefix(part, "duplicate=") })
		if i < 0 {
			e.add(c.Block.Pos, path+".duplicate-block", "nothing is duplicated (want duplicate too)")
			return "", false
		}
		parts[i] += "/" + block
	}
	return strings.Join(parts, ","), len(parts) > 0
}

// overwrite has an upload overwrite objects of its data set, and reports whether it does.
func (s *setter) overwrite(do *Do, set *DataSet, path string) bool {
	path += ".overwrite"
	on := s.isTrue(do.Overwrite, path)
	switch {
	case !on:
	case !s.cmd.OfOperation("objects") || s.cmd.Default("objects") != "0":
		s.add(do.Overwrite.Pos, path, "not for %s (want it for put)", do.Op)
	case set == nil:
		s.add(do.Overwrite.Pos, path, "no data set to overwrite objects of (want {%s: NAME})", do.Op)
	default:
		n := set.Objects
		if statedObjects(s.evaluator, set) == 0 {
			n = anyNumber(do.Overwrite)
		}
		if count, ok := s.count(n, path); ok { // which may end in k or M
			s.set("objects", strconv.FormatInt(count, 10), n.Pos, path)
		}
	}
	return on
}

// untilFilled returns what ends a phase of one operation: an upload of new objects passes through its data set when it has uploaded as
// many as the data set states.
func untilFilled(e evaluator, ph *Phase, set *DataSet) Until {
	u := ph.Until
	if set == nil || len(ph.Do) > 1 || !ph.Do[0].addsObjects() {
		return u
	}
	text, _ := e.text(u.Passes, "")
	passes, err := strconv.ParseFloat(text, 64)
	n := math.Ceil(passes * float64(statedObjects(e, set)))
	if err != nil || !(n >= 1 && n < 1<<62) {
		return u
	}
	if text, given := e.text(u.Ops, ""); given {
		ops, err := units.ParseCount(text)
		if err != nil {
			return u
		}
		n = min(n, float64(ops))
	}
	u.Ops = Value{Text: strconv.FormatUint(uint64(n), 10), Note: u.Passes.Note}
	u.Passes = Value{}
	return u
}
