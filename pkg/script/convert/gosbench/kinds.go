package gosbench

import (
	"fmt"
	"math"
	"slices"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// kind is one of the operations of a test. Each object belongs to one of them, and they walk through their objects in order.
type kind struct {
	key    string // of its weight
	op     string
	weight uint64
	count  uint64 // of objects, in all buckets
	made   uint64 // of objects here
}

// existingReads is the key of reads of objects that the test does not make.
const existingReads = "existing_read_weight"

// kinds returns the operations of a test.
func (t *test) kinds() (list []kind) {
	for _, k := range []kind{
		{key: "read_weight", op: "get"},
		{key: existingReads, op: "get"},
		{key: "write_weight", op: "put"},
		{key: "list_weight", op: "list"},
		{key: "delete_weight", op: "delete"},
	} {
		if k.weight = t.whole(k.key); k.weight > 0 {
			list = append(list, k)
		}
	}
	return list
}

// divide gives each kind its objects, as the original does: the next object goes to the kind that has the fewest for its weight.
func divide(kinds []kind, objects uint64) {
	sum := uint64(0)
	for _, k := range kinds {
		sum += k.weight
	}
	for i := range kinds {
		kinds[i].count = objects / sum * kinds[i].weight
	}
	for range objects % sum {
		least := 0
		for i, k := range kinds {
			other := kinds[least]
			if fewer, same := k.count*other.weight, other.count*k.weight; fewer < same || fewer == same && k.count > 0 {
				least = i
			}
		}
		kinds[least].count++
	}
	for i := range kinds {
		kinds[i].made = kinds[i].count
	}
}

// total returns the number of objects that are made for all kinds.
func total(kinds []kind) (n uint64) {
	for _, k := range kinds {
		n += k.made
	}
	return n
}

// moreDeleted has the objects that are deleted suffice for the operations of the test. The original makes them again before each pass.
func (t *test) moreDeleted(kinds []kind) {
	last := &kinds[len(kinds)-1]
	if last.op == "delete" && t.values["stop_with_runtime"].Text == "" {
		last.made = max(last.made, uint64(math.Ceil(float64(t.ops())*float64(last.count)/float64(total(kinds)))))
	}
}

// weights returns the shares of the kinds. An object is used once in a pass, so shares are numbers of objects, or the weights of the file
// if they are in the same proportion.
func weights(kinds []kind) (list []uint64) {
	sum, objects := uint64(0), uint64(0)
	for _, k := range kinds {
		sum, objects = sum+k.weight, objects+k.count
	}
	exact := !slices.ContainsFunc(kinds, func(k kind) bool { return k.count*sum != k.weight*objects })
	for _, k := range kinds {
		if exact {
			list = append(list, k.weight)
		} else {
			list = append(list, k.count)
		}
	}
	return list
}

// operations returns the weighted operations of a test.
func (t *test) operations(set string, kinds []kind) (ops []script.Do) {
	first, shares := uint64(1), weights(kinds)
	for i, k := range kinds {
		op := draft.Op(k.op, set)
		op.Weight = draft.Number(shares[i]).At(t.values[k.key].At)
		if k.op != "list" {
			op.Params = append(op.Params, script.NewParam("access", inOrder(first, k.made, total(kinds))))
		}
		t.special(&op, k)
		first += k.made
		if shares[i] > 0 {
			ops = append(ops, op)
		}
	}
	if len(ops) == 1 {
		ops[0].Weight = script.Value{}
	}
	return ops
}

// special sets what one kind of operation has in addition.
func (t *test) special(op *script.Do, k kind) {
	switch k.op {
	case "put":
		op.Overwrite = draft.Yes()
		draft.AddNote(&op.Head, "Approximated: the objects are made before the test, too; the original makes them in its first pass.")
	case "list":
		op.Params = append(op.Params, script.NewParam("max-keys", "1000"))
		draft.AddNote(&op.Head, "Approximated: the original lists the objects whose names begin with one object's; this lists a bucket.")
	case "delete":
		op.Params = append(op.Params, script.NewParam("batch", "1"))
		draft.AddNote(&op.Head, "Approximated: the original makes deleted objects again before each pass, unmeasured; "+
			"here each is deleted once, and the test ends when none is left.")
	}
}

// inOrder is access in order to a number of objects from the first on.
func inOrder(first, count, objects uint64) string {
	if count == objects {
		return "seq"
	}
	return fmt.Sprintf("range(%d..%d):seq", first, first+count-1)
}

// dataSet returns the data set of a test: that of an earlier one, if it has the same objects.
func (t *test) dataSet(kinds []kind) *script.DataSet {
	prefix := t.values["bucket_prefix"]
	if t.existing {
		return t.existingSet(prefix)
	}
	buckets, objects := t.number("buckets"), t.number("objects")
	divide(kinds, objects*buckets)
	t.moreDeleted(kinds)
	size, note := t.sizes(objects * buckets)
	for _, k := range kinds {
		if k.key == existingReads {
			note += " Approximated: what existing_read_weight reads is made by the run here, since the run has other objects too."
		}
	}
	keys, number := t.keys(&note), "{i}"
	wanted := script.DataSet{
		Note:    script.Note{Pos: t.at},
		Objects: draft.Number(total(kinds)).At(t.values["objects.number_min"].At),
		Size:    script.Text(size).At(t.values["objects.size_min"].At),
	}
	if buckets > 1 {
		number = "{bucket.i}"
		wanted.Buckets = draft.Number(buckets).At(t.values["buckets.number_min"].At)
	}
	wanted.Keys = script.Text(keys + number).At(t.values["object_prefix"].At)
	for i := range t.Data {
		switch known := &t.Data[i]; {
		case known.Keys.Text != wanted.Keys.Text || !known.Existing.IsZero():
		case known.Objects.Text == wanted.Objects.Text && known.Size.Text == wanted.Size.Text && known.Buckets.Text == wanted.Buckets.Text:
			return known
		default:
			wanted.Keys.Text = fmt.Sprintf("%st%d-%s", keys, len(t.Data)+1, number)
			note += " Approximated: the test before has objects of these names with other sizes or another number, so names differ."
		}
	}
	wanted.Name = fmt.Sprintf("d%d", len(t.Data)+1)
	set := t.Set(wanted.Name)
	*set = wanted
	if note != "" {
		draft.AddNote(&set.Head, "%s", note)
	}
	t.bucket(set, prefix, buckets)
	return set
}

// keys returns the first part of keys. In a template, a number must not be followed by a digit.
func (t *test) keys(note *string) string {
	prefix := draft.KeyText(t.values["object_prefix"].Text)
	switch digit := prefix == "" || prefix[0] >= '0' && prefix[0] <= '9'; {
	case !digit:
		return "w{client+1}" + prefix
	case t.whole("workers") <= 1:
		return "w1" + prefix
	}
	*note += " Approximated: keys have a hyphen behind the number of the worker."
	return "w{client+1}-" + prefix
}

// existingSet returns the data set of objects that are there already, in the bucket that has the prefix as its name.
func (t *test) existingSet(prefix draft.Entry) *script.DataSet {
	if prefix.Text == "" {
		t.Addf(t.at, "existing_read_weight needs bucket_prefix, the name of the bucket")
	}
	set := t.Set(fmt.Sprintf("d%d", len(t.Data)+1))
	set.Existing = draft.Yes()
	t.setBucket(set, prefix, prefix.Text)
	return set
}

// bucket sets the buckets of the target.
func (t *test) bucket(set *script.DataSet, prefix draft.Entry, buckets uint64) {
	name := draft.KeyText(prefix.Text) + "{b}"
	shared := draft.IsTrue(t.values["workers_share_buckets"].Text)
	if buckets == 1 {
		name = draft.KeyText(prefix.Text) + "0"
	}
	if !shared {
		name = "w{client+1}" + name
	}
	t.setBucket(set, prefix, name)
}

func (t *test) setBucket(set *script.DataSet, prefix draft.Entry, name string) {
	if known := t.Target.Bucket.Text; known != "" && known != name {
		draft.AddNote(&set.Head, "Approximated: the original has other buckets for this test: %s.", name)
		return
	}
	t.Target.Bucket = script.Text(name).At(prefix.At)
}
