package cosbench

import (
	"fmt"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// operations are the operations.
var operations = map[string]string{
	"read": "get", "write": "put", "delete": "delete", "list": "list", "head": "stat", "mwrite": "multipart-put",
}

// operation returns an operation with its weight, once for each part of histograms of objects and containers; nothing if the weight is 0.
func (c *converter) operation(o *element, ratio uint64) (list []script.Do) {
	kind := o.attrs["type"]
	op, ok := operations[kind]
	if !ok {
		c.Addf(o.at, "operation %q cannot be converted (want read, write, delete, list, head or mwrite)", kind)
		return nil
	}
	if ratio == 0 {
		return nil
	}
	s := c.of(o)
	objects, known := c.selector(o, "objects")
	if !known || op == "list" || op == "multipart-put" {
		return []script.Do{c.do(o, s, op, "", draft.Number(ratio))}
	}
	containers, some := c.selector(o, "containers")
	if !some || s.changes {
		containers = selector{form: 'r', first: s.firstBucket, last: s.lastBucket}
	}
	sum := objects.weight() * containers.weight()
	for _, p := range objects.spans() {
		for _, b := range containers.spans() {
			if p.weight*b.weight > 0 {
				weight := draft.Decimal(float64(ratio) * float64(p.weight) * float64(b.weight) / sum)
				list = append(list, c.do(o, s, op, s.access(p, b, pattern(op, objects.form, containers.form)), script.Text(weight)))
			}
		}
	}
	return list
}

// do returns one operation.
func (c *converter) do(o *element, s *dataSet, op, access string, weight script.Value) script.Do {
	d := script.Do{Note: script.Note{Pos: o.at}, Op: op, Set: script.Text(s.name).At(o.at), Weight: weight.At(o.at)}
	param := func(name, value string) {
		p := script.NewParam(name, value)
		p.Pos = o.at
		d.Params = append(d.Params, p)
	}
	if access != "" {
		param("access", access)
	}
	if s.existing() && (op == "put" || op == "multipart-put") {
		c.Addf(o.at, "operation %q has no sizes", o.attrs["type"])
	}
	switch op {
	case "put":
		s.keep = true
		d.Overwrite = draft.Yes()
	case "multipart-put":
		s.keep = true
		param("part.size", size(o.bytes("part_size", defaultPart, &c.Problems)))
		param("part.concurrent", "1")
		draft.AddNote(&d.Head, "Approximated: mwrite makes new objects here, numbered on from the last one.")
	case "delete":
		param("batch", "1")
		draft.AddNote(&d.Head, "Approximated: each object is deleted once here, and the work ends when none is left; "+
			"in the original it is a success to delete what is not there.")
	case "list":
		param("max-keys", "1000")
	case "get":
		if draft.IsTrue(o.storage["is_range_request"]) {
			s.ranges = true
			param("range-size", size(o.bytes("chunk_length", 1, &c.Problems)))
		} else if s.verify && !s.existing() {
			param("verify", "true")
		}
	}
	if sel, ok := c.selector(o, "containers"); ok && (op == "list" || s.changes) && !sel.covers(s.firstBucket, s.lastBucket) {
		draft.AddNote(&d.Head, "Approximated: the original uses only containers=%s here; this one uses all.", o.config["containers"])
	}
	return d
}

// pattern returns the order of access, by the forms of the selectors of objects and of containers.
func pattern(op string, objects, containers byte) string {
	random := func(form byte) bool { return form == 'u' || form == 'h' }
	switch {
	case !random(objects) && (objects != 'c' || !random(containers)):
		return "seq"
	case op == "delete":
		return "shuffle"
	}
	return "uniform"
}

// access returns the access to some objects in some buckets. Objects of the same number in all buckets follow one another.
func (s *dataSet) access(objects, buckets span, pattern string) string {
	last := min(objects.last, s.objects)
	whole := buckets.first <= s.firstBucket && buckets.last >= s.lastBucket
	if whole && objects.first == 1 && last == s.objects {
		return pattern
	}
	places := ""
	if !whole {
		places = fmt.Sprintf(",%d..%d of %d", buckets.first-s.firstBucket+1, min(buckets.last, s.lastBucket)-s.firstBucket+1, s.buckets())
	}
	return fmt.Sprintf("range(%d..%d%s):%s", (objects.first-1)*s.buckets()+1, last*s.buckets(), places, pattern)
}
