package cosbench

import (
	"fmt"
	"slices"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// operations are the operations.
var operations = map[string]string{"read": "get", "write": "put", "delete": "delete", "list": "list", "head": "stat"}

// operation returns an operation with its weight; nothing if that is 0.
func (c *converter) operation(o *element) []script.Do {
	kind := o.attrs["type"]
	op, ok := operations[kind]
	if !ok {
		c.Addf(o.at, "operation %q cannot be converted (want read, write, delete, list or head)", kind)
		return nil
	}
	ratio := o.whole("ratio", 100, &c.Problems)
	if ratio == 0 {
		return nil
	}
	s := c.of(o)
	d := draft.Op(op, s.name)
	d.Weight = draft.Number(ratio)
	if op == "put" {
		s.keep = true
		d.Params = append(d.Params, script.NewParam("overwrite", "true"))
	}
	if op == "delete" {
		d.Params = append(d.Params, script.NewParam("batch", "1"))
	}
	if sel, ok := c.selector(o, "containers"); ok && (sel.first != s.firstBucket || sel.last != s.lastOne) {
		draft.AddNote(&d.Head, "Approximated: the original uses only buckets %s here; this one uses all.", o.config["containers"])
	}
	if sel, ok := c.selector(o, "objects"); ok && op != "list" {
		d.Params = append(d.Params, script.NewParam("access", s.access(sel, op)))
	}
	if s.verify && op == "get" {
		d.Params = append(d.Params, script.NewParam("verify", "true"))
	}
	return []script.Do{d}
}

// access returns the pattern of a selector of objects. Objects of the same number in all buckets follow one another.
func (s *dataSet) access(sel selector, op string) string {
	pattern := "seq"
	if sel.form == 'u' {
		pattern = "uniform"
		if op == "delete" {
			pattern = "shuffle"
		}
	}
	if sel.first == 1 && sel.last == s.objects {
		return pattern
	}
	return fmt.Sprintf("range(%d..%d):%s", (sel.first-1)*s.buckets()+1, sel.last*s.buckets(), pattern)
}

// dataSets writes the data sets.
func (c *converter) dataSets() {
	used := func(name string) bool {
		return slices.ContainsFunc(c.Phases, func(ph script.Phase) bool { return uses(ph, name) })
	}
	for _, s := range c.sets {
		if !used(s.name) {
			continue
		}
		if s.firstBucket == 0 {
			s.firstBucket, s.lastOne = 1, 1
		}
		if s.objects > 1<<60/s.buckets() {
			c.Addf(script.Pos{}, "too many objects")
			return
		}
		set := c.Set(s.name)
		set.Objects = draft.Number(max(1, s.objects) * s.buckets())
		set.Size = script.Text(s.size)
		set.Keys = script.Text(draft.KeyText(s.oprefix) + "{i}" + draft.KeyText(s.osuffix))
		if s.buckets() > 1 {
			set.Buckets = draft.Number(s.buckets())
			draft.AddNote(&set.Head, "Object i is in bucket i modulo %d; in the original each bucket has objects of the same names.", s.buckets())
		}
		if s.note != "" {
			draft.AddNote(&set.Head, "%s", s.note)
		}
		if s.size == "" {
			set.Existing = draft.Yes()
		} else if s.keep {
			set.Keep = draft.Yes()
		}
		bucket := fmt.Sprintf("%s%d%s", s.cprefix, s.firstBucket, s.csuffix)
		switch c.Target.Bucket.Text {
		case "", bucket:
			c.Target.Bucket = script.Text(bucket)
		default:
			draft.AddNote(&set.Head, "Approximated: the original has buckets of its own for these, %s and so on.", bucket)
		}
	}
}

// uses reports whether a phase uses a data set.
func uses(ph script.Phase, set string) bool {
	return ph.Prepare.Text == set || ph.Clean.Text == set ||
		slices.ContainsFunc(ph.Do, func(d script.Do) bool { return d.Set.Text == set }) ||
		slices.ContainsFunc(ph.Parallel, func(p script.Phase) bool { return uses(p, set) })
}
