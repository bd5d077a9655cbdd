package sai3

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// bench is a file.
type bench struct {
	*draft.Draft
	root draft.Entry
	base string // names below the target begin with it

	only, skip, stay bool // prepare only, skip it, no clean-up

	made []madeSet
}

// madeSet is a data set that the preparation makes.
type madeSet struct {
	name      string
	deletable string // a second one, which deletions draw from; empty without them
	prefix    string
	objects   int64
	largest   int64 // size; 0: not known
}

// paths returns all places of objects.
func (b *bench) paths() (list []draft.Entry) {
	for _, w := range b.root.Values["workload"].List {
		list = append(list, w.Values["path"])
	}
	for _, o := range lookup(b.root, "prepare", "ensure_objects").List {
		list = append(list, o.Values["base_uri"])
	}
	return list
}

// key returns the key that a place stands for, or its beginning.
func (b *bench) key(e draft.Entry) string {
	if strings.Contains(e.Text, "://") {
		to, _ := b.parse(e, "path")
		return to.key
	}
	if b.base == "" {
		return strings.TrimPrefix(e.Text, "/")
	}
	return strings.TrimSuffix(b.base, "/") + "/" + strings.TrimPrefix(e.Text, "/")
}

// directory returns a beginning of keys that ends in a slash, unless it is empty.
func directory(key string) string {
	if key == "" || strings.HasSuffix(key, "/") {
		return key
	}
	return key + "/"
}

// literal returns what precedes the first wildcard.
func literal(pattern string) string {
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		return pattern[:i]
	}
	return pattern
}

// name returns a name of a data set that is not taken.
func (b *bench) name(base string) string {
	name := base
	for n := 2; ; n++ {
		if _, taken := b.Data.Lookup(name); !taken {
			return name
		}
		name = base + strconv.Itoa(n)
	}
}

// stays reports whether what the preparation makes is left in the bucket.
func (b *bench) stays() bool {
	return b.stay || b.only || !draft.IsTrue(lookup(b.root, "prepare", "cleanup").Text)
}

// prepared adds the data sets that are made before the workload.
func (b *bench) prepared() {
	prepare := b.root.Values["prepare"]
	if on := prepare.Values["cleanup_only"]; draft.IsTrue(on.Text) {
		b.Addf(on.At, "prepare.cleanup_only: nothing is measured (want warp clean, which deletes what a run kept)")
	}
	for _, e := range prepare.Values["ensure_objects"].List {
		prefix := directory(b.key(e.Values["base_uri"]))
		m := madeSet{name: b.name("prepared"), prefix: prefix, objects: b.whole(e.Values["count"], "count", 0)}
		if m.objects == 0 {
			b.Addf(e.At, "ensure_objects: count is missing")
			continue
		}
		low, high := b.bytes(e.Values["min_size"], "min_size", 1<<20), b.bytes(e.Values["max_size"], "max_size", 1<<20)
		size := b.sizes(e, "ensure_objects")
		if size == "" {
			size, m.largest = uniform(low, high), high
		}
		const shardsKey = "key_prefix_shards"
		shards := b.whole(e.Values[shardsKey], shardsKey, b.whole(prepare.Values[shardsKey], shardsKey, 0))
		b.makeSet(m.name, prefix, "prepared", m.objects, shards, size, e)
		if b.deletes(prefix) {
			m.deletable = b.name("deletable")
			b.makeSet(m.deletable, prefix, "deletable", m.objects, shards, size, e)
		}
		b.made = append(b.made, m)
	}
	if tree := prepare.Values["directory_structure"]; tree.Values != nil {
		b.tree(tree)
	}
}

// makeSet adds a data set of equal names.
func (b *bench) makeSet(name, prefix, word string, objects, shards int64, size string, e draft.Entry) {
	set := b.Set(name)
	set.Pos, set.Objects, set.Size = e.At, draft.Number(objects), script.Text(size)
	keys := draft.KeyText(prefix)
	if shards > 1 {
		keys += fmt.Sprintf("{depth:1x%d}/", shards)
		draft.AddNote(&set.Head, "Approximated: the directory of an object is drawn; in the original it is its number modulo %d.", shards)
	}
	set.Keys = script.Text(keys + word + "-{i:08}.dat")
	b.contents(set, e, "ensure_objects")
	switch {
	case b.skip:
		set.Existing = draft.Yes()
	case b.stays():
		set.Keep = draft.Yes()
	}
}

// deletes reports whether the workload deletes objects of a directory and needs others of it.
func (b *bench) deletes(prefix string) (both bool) {
	deletes, needs := false, false
	for _, w := range b.root.Values["workload"].List {
		if !within(prefix, literal(b.key(w.Values["path"]))) {
			continue
		}
		switch strings.ToLower(w.Values["op"].Text) {
		case "delete":
			deletes = true
		case "get", "stat":
			needs = true
		}
	}
	return deletes && needs
}

// within reports whether a pattern may match objects of a directory.
func within(prefix, pattern string) bool {
	return strings.HasPrefix(prefix, pattern) || strings.HasPrefix(pattern, prefix)
}

// tree adds the data set of a tree of directories.
func (b *bench) tree(e draft.Entry) {
	width, depth := b.whole(e.Values["width"], "width", 1), b.whole(e.Values["depth"], "depth", 1)
	files := b.whole(e.Values["files_per_dir"], "files_per_dir", 1)
	dirs := math.Pow(float64(width), float64(depth))
	if width < 1 || depth < 1 || files < 1 || dirs*float64(files) > 1<<50 {
		b.Addf(e.At, "directory_structure: %d directories in %d levels with %d files each can't be had", width, depth, files)
		return
	}
	m := madeSet{name: b.name("tree"), prefix: directory(b.base), objects: int64(dirs) * files}
	set := b.Set(m.name)
	set.Pos, set.Objects = e.At, draft.Number(m.objects)
	size := b.sizes(e, "directory_structure")
	spec, stated := e.Values["size"]
	switch {
	case size != "":
	case spec.Values != nil:
		size = b.distribution(spec, "directory_structure.size")
	case stated:
		size = units.ExactSize(b.bytes(spec, "directory_structure.size", 1<<20))
	default:
		size = units.ExactSize(1 << 20)
	}
	set.Size = script.Text(size)
	set.Keys = script.Textf("%s{depth:%dx%d}/file_{i:08}.dat", draft.KeyText(m.prefix), depth, width)
	draft.AddNote(&set.Head, "Approximated: the names of the tree, whose objects are in directories of the last level.")
	if b.stays() {
		set.Keep = draft.Yes()
	}
	b.made = append(b.made, m)
}

// setOf returns the data set that a workload reads, lists or deletes: one of the preparation, or what is there.
func (b *bench) setOf(op string, path draft.Entry) (name string, largest int64) {
	pattern := b.key(path)
	for _, m := range b.made {
		if !within(m.prefix, literal(pattern)) {
			continue
		}
		if op == "delete" && m.deletable != "" {
			return m.deletable, m.largest
		}
		return m.name, m.largest
	}
	prefix := literal(pattern)
	prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	for _, set := range b.Data {
		if !set.Existing.IsZero() && set.Keys.IsZero() && set.Prefix.Text == prefix {
			return set.Name, 0
		}
	}
	name = b.name("existing")
	set := b.Set(name)
	set.Pos, set.Existing, set.Prefix = path.At, draft.Yes(), optional(prefix)
	if rest := strings.TrimPrefix(pattern, prefix); rest != "" && rest != "*" {
		draft.AddNote(&set.Head, "Approximated: all objects below %s, not only %s.", prefix, pattern)
	}
	return name, 0
}
