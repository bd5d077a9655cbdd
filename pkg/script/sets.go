package script

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// addsObjects reports whether what an operation uploads is added to its data set.
func (do *Do) addsObjects() bool {
	info, ok := bench.Lookup(do.Op)
	return ok && info.Default().Traits().Fills && do.Overwrite.Text != "true"
}

// ofObjects reports whether an operation is about objects, not about buckets that it makes or deletes beside theirs.
func (do *Do) ofObjects() bool {
	info, ok := bench.Lookup(do.Op)
	return !ok || info.Default().Traits().Extra == nil
}

// uses reports whether the operation, or one that follows in the same turn, works on a data set; only says that all of these add objects.
func (do *Do) uses(set string) (uses, only bool) {
	uses = do.Set.Text == set && do.ofObjects()
	only = !uses || do.addsObjects()
	for i := range do.Then {
		u, o := do.Then[i].uses(set)
		uses, only = uses || u, only && o
	}
	return uses, only
}

// objects returns the number of objects that a data set states; 0: none.
func objects(r *resolver, set *DataSet) uint64 {
	text, _ := r.text(set.Objects, "data."+set.Name+".objects")
	n, err := units.ParseCount(text)
	if err != nil {
		return 0
	}
	return n
}

// asUsed returns a data set as an operation uses it. One that is empty at the beginning has objects which other operations add.
func asUsed(r *resolver, set *DataSet, do *Do) (as *DataSet, empty bool) {
	if do.addsObjects() || !beginsEmpty(r, set) {
		return set, false
	}
	without := *set
	without.Objects = anyNumber(set.Objects)
	return &without, true
}

// anyNumber returns a number of objects for which each order of access is possible.
func anyNumber(v Value) Value {
	return Value{Text: strconv.FormatUint(bench.MaxObjects, 10), Note: Note{Pos: v.Pos}}
}

// beginsEmpty reports whether a data set is empty at the beginning: runs add objects to it, and it states no number, or the first phase that
// works on it does nothing else.
func beginsEmpty(r *resolver, set *DataSet) bool {
	if objects(r, set) == 0 {
		return fills(r.file.Phases, set.Name)
	}
	only, used := firstUse(r.file.Phases, set.Name)
	return used && only
}

// fills reports whether a phase has an operation that adds objects to a data set.
func fills(phases []Phase, set string) bool {
	return slices.ContainsFunc(phases, func(ph Phase) bool {
		return fills(ph.Parallel, set) || fills(ph.Phases, set) || addsTo(ph.Do, set)
	})
}

func addsTo(list []Do, set string) bool {
	return slices.ContainsFunc(list, func(do Do) bool { return do.Set.Text == set && do.addsObjects() || addsTo(do.Then, set) })
}

// firstUse returns whether the first of the phases that work on a data set only add objects to it; used is false if none does.
func firstUse(phases []Phase, set string) (only, used bool) {
	for i := range phases {
		if only, used = phases[i].uses(set); used {
			return only, true
		}
	}
	return false, false
}

// uses reports whether a phase works on a data set, and whether it only adds objects to it.
func (ph *Phase) uses(set string) (only, used bool) {
	if ph.Phases != nil {
		return firstUse(ph.Phases, set)
	}
	only = true
	for i := range ph.Parallel {
		o, u := ph.Parallel[i].uses(set)
		only, used = only && (o || !u), used || u
	}
	for i := range ph.Do {
		u, o := ph.Do[i].uses(set)
		only, used = only && o, used || u
	}
	for _, v := range []Value{ph.Prepare, ph.Clean, ph.Verify} {
		if v.Text == set {
			only, used = false, true
		}
	}
	return only, used
}

// setDataSet sets the flags of a data set.
func setDataSet(s *setter, set *DataSet) {
	path := "data." + set.Name
	s.options(reflect.ValueOf(set).Elem(), path)
	if text, ok := s.text(set.Grow, path+".grow"); ok && text != "true" {
		s.add(set.Grow.Pos, path+".grow", "invalid value %q (want true: reads use what phases add)", text)
	}
	c := &set.Content
	if text, ok := contentOf(s, c, path+".content"); ok {
		flag := "obj.content"
		if !s.cmd.Has(flag) {
			flag = "obj.generator"
		}
		s.set(flag, text, c.Pos, path+".content")
	}
}

// contentOf returns contents as their flag takes them.
func contentOf(s *setter, c *Content, path string) (string, bool) {
	var parts []string
	for _, p := range []struct {
		Value
		form string
	}{{c.Kind, "*"}, {c.Compressible, "compressible=*"}, {c.Duplicate, "duplicate=*"}, {c.Files, "file(*)"}} {
		if text, ok := s.text(p.Value, path); ok && !p.IsZero() {
			parts = append(parts, strings.Replace(p.form, "*", text, 1))
		}
	}
	if block, ok := s.text(c.Block, path+".duplicate-block"); ok && !c.Block.IsZero() {
		i := slices.IndexFunc(parts, func(part string) bool { return strings.HasPrefix(part, "duplicate=") })
		if i < 0 {
			s.add(c.Block.Pos, path+".duplicate-block", "nothing is duplicated (want duplicate too)")
			return "", false
		}
		parts[i] += "/" + block
	}
	return strings.Join(parts, ","), len(parts) > 0
}

// setOverwrite has an upload overwrite objects of its data set, and reports whether it does.
func setOverwrite(s *setter, do *Do, set *DataSet, path string) bool {
	text, ok := s.text(do.Overwrite, path+".overwrite")
	on, err := strconv.ParseBool(text)
	switch at := path + ".overwrite"; {
	case !ok:
	case err != nil:
		s.add(do.Overwrite.Pos, at, "invalid value %q (want true or false)", text)
	case on && (!s.cmd.OfOperation("objects") || s.cmd.Default("objects") != "0"):
		s.add(do.Overwrite.Pos, at, "not for %s (want it for put)", do.Op)
	case on && set == nil:
		s.add(do.Overwrite.Pos, at, "no data set to overwrite objects of (want {%s: NAME})", do.Op)
	case on:
		n := set.Objects
		if objects(s.resolver, set) == 0 {
			n = anyNumber(do.Overwrite)
		}
		if count, ok := s.count(n, at); ok { // which may end in k or M
			s.set("objects", strconv.FormatInt(count, 10), n.Pos, at)
		}
	}
	return on
}

// untilFilled returns what ends a phase of one operation: an upload of new objects passes through its data set when it has uploaded as many as
// the data set states.
func untilFilled(s *setter, ph *Phase, set *DataSet) Until {
	u := ph.Until
	if set == nil || len(ph.Do) > 1 || !ph.Do[0].addsObjects() {
		return u
	}
	text, _ := s.text(u.Passes, "")
	passes, err := strconv.ParseFloat(text, 64)
	n := math.Ceil(passes * float64(objects(s.resolver, set)))
	if err != nil || !(n >= 1 && n < 1<<62) {
		return u
	}
	if text, given := s.text(u.Ops, ""); given {
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

// withoutObjects sets the parameters of an operation whose data set begins empty.
func withoutObjects(st *bench.Stream, overwrites bool) (err error) {
	change := bench.WithoutObjects
	if overwrites {
		change = bench.Overwriting
	}
	st.Params, err = change(st.Workload, st.Params)
	return err
}
