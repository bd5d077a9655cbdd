package script

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"warp/internal/option"
	"warp/pkg/bench/work"
)

// Parse reads a file and returns all that is wrong with its form as one *Error: what is no YAML, keys that do not exist, and
// values of another form. What it says is checked by Resolve. The name is for errors.
func Parse(name string, text []byte) (*File, error) {
	c := &complaints{source: NewSource(name, string(text))}
	root, comments := readYAML(text, c)
	if root == nil {
		return nil, c.err()
	}
	if p := root.lookup("warp"); p != nil && p.kind == mapping {
		c.add(root.pos, "", "a file of MinIO warp, not a scenario (want its conversion: warp script convert --from warp %s)", name)
		return nil, c.err()
	}
	f := &File{source: c.source}
	d := decoder{complaints: c, sections: map[string]*Note{}}
	if d.into(root, reflect.ValueOf(f).Elem(), ""); root.kind == mapping {
		d.version(f, root)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	f.Sections = d.sections
	attach(f, comments)
	return f, nil
}

// decoder fills the structs of a file.
type decoder struct {
	*complaints
	sections map[string]*Note
}

// version checks that the file is one of this version.
func (d decoder) version(f *File, root *node) {
	switch {
	case f.Warp.IsZero() && misspelt(root):
	case f.Warp.IsZero():
		d.add(root.pos, "warp", "missing value (write \"warp: %s\" as the first line)", Version)
	case f.Warp.Text != Version:
		d.add(f.Warp.Pos, "warp", "unknown version %q of the format (want %s)", f.Warp.Text, Version)
	}
}

// misspelt reports whether a key was probably meant to be warp, which is reported as an unknown key.
func misspelt(root *node) bool {
	near := func(p pair) bool { return option.Nearest(p.key, []string{"warp"}) != "" }
	return root.lookup("warp") == nil && slices.ContainsFunc(root.pairs, near)
}

// field is a key of a mapping.
type field struct {
	key   string
	index int
	short bool     // a scalar instead of the mapping is this one
	one   bool     // a list of one is written as a scalar
	of    []string // of a phase: the steps that have the key; empty: all
	is    string   // form of its values
	flag  string   // of a benchmark, which it sets
	some  bool     // not all benchmarks have the flag, and others may ignore it
	needs bool     // not all benchmarks have the flag, and others must not ignore that it is true
	doc   string
}

// fields describes the keys of a struct.
type fields struct {
	list []field
	rest int // index of the list of all other keys; -1: there are none
}

var fieldCache sync.Map // of reflect.Type

// fieldsOf returns the keys of a struct.
func fieldsOf(t reflect.Type) fields {
	if known, ok := fieldCache.Load(t); ok {
		return known.(fields)
	}
	fs := fields{rest: -1}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		key, opts, _ := strings.Cut(tag.Get("key"), ",")
		switch {
		case opts == "rest":
			fs.rest = i
		case key != "":
			flag, some, _ := strings.Cut(tag.Get("flag"), ",")
			fs.list = append(fs.list, field{
				key: key, index: i, short: strings.HasPrefix(opts, "short"), one: strings.HasSuffix(opts, "one"),
				of: strings.Fields(tag.Get("of")), is: tag.Get("is"), flag: flag, some: some == "some", needs: some == "needs", doc: tag.Get("doc"),
			})
		}
	}
	fieldCache.Store(t, fs)
	return fs
}

func (fs fields) lookup(key string) (field, bool) {
	i := slices.IndexFunc(fs.list, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return fs.list[i], true
}

func (fs fields) short() (field, bool) {
	i := slices.IndexFunc(fs.list, func(f field) bool { return f.short })
	if i < 0 {
		return field{}, false
	}
	return fs.list[i], true
}

func (fs fields) keys() (keys []string) {
	for _, f := range fs.list {
		keys = append(keys, f.key)
	}
	return keys
}

// into decodes a node into a value of the file's structs.
func (d decoder) into(n *node, v reflect.Value, path string) {
	if n.kind == broken {
		return
	}
	switch to := v.Addr().Interface().(type) {
	case *Value:
		*to = d.value(n, path)
		return
	case *DataSets:
		d.dataSets(n, to, path)
		return
	case *Phase:
		if to.Pos = n.pos; n.kind == list {
			d.list(n, reflect.ValueOf(&to.Parallel).Elem(), path)
			return
		}
		if d.isStep(n, path) {
			d.mapping(n, v, path)
			d.checkStep(to, n, path)
		}
		return
	case *Do:
		d.do(n, to, path)
		return
	}
	if v.Kind() == reflect.Slice {
		d.list(n, v, path)
		return
	}
	d.mapping(n, v, path)
}

// list decodes a list; a single item may stand for a list of one.
func (d decoder) list(n *node, v reflect.Value, path string) {
	switch {
	case n.kind == empty:
		d.add(n.pos, path, "missing value (want a list)")
		return
	case n.kind != list:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		d.into(n, v.Index(0), path)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	for i, item := range n.items {
		d.into(item, v.Index(i), indexed(path, i))
	}
}

// mapping decodes a mapping, or the scalar that stands for one.
func (d decoder) mapping(n *node, v reflect.Value, path string) {
	if n.kind == broken {
		return
	}
	fs := fieldsOf(v.Type())
	if h, ok := v.Addr().Interface().(hasNote); ok && h.note().Pos.IsZero() {
		h.note().Pos = n.pos
	}
	short, hasShort := fs.short()
	switch {
	case n.kind == mapping:
	case n.kind == empty:
		d.add(n.pos, path, "missing value (want %s)", wantKeys(fs))
		return
	case hasShort:
		d.into(n, v.Field(short.index), path)
		return
	default:
		d.add(n.pos, path, "%s where a mapping belongs (want %s)", n.kind, wantKeys(fs))
		return
	}
	seen := map[string]bool{}
	for _, p := range n.pairs {
		at := joined(path, p.key)
		if seen[p.key] {
			d.add(p.pos, at, "the key is given twice")
			continue
		}
		seen[p.key] = true
		f, ok := fs.lookup(p.key)
		switch {
		case ok:
			d.field(p, f, v.Field(f.index), at)
		case fs.rest >= 0:
			params := v.Field(fs.rest).Addr().Interface().(*[]Param)
			*params = append(*params, d.param(p, at))
		case strings.HasSuffix(p.key, ")"):
			d.add(p.pos, path, "%q stands for itself (want quotes around a value with commas, as in \"uniform(1KiB,1MiB)\")", p.key)
		default:
			d.add(p.pos, path, "%s", unknown("key", p.key, fs.keys()))
		}
	}
}

// wantKeys says what a mapping may hold.
func wantKeys(fs fields) string {
	if len(fs.list) == 0 {
		return "a mapping"
	}
	return "a mapping with " + strings.Join(fs.keys(), ", ")
}

// field decodes the value of a key.
func (d decoder) field(p pair, f field, v reflect.Value, path string) {
	if h, ok := v.Addr().Interface().(hasNote); ok && v.Type() != reflect.TypeFor[Value]() {
		h.note().Pos = p.pos
	}
	if v.Kind() == reflect.Slice && (path == "data" || path == "phases") {
		d.sections[f.key] = &Note{Pos: p.pos}
	}
	d.into(p.val, v, path)
}

// param decodes an option under the name of its flag.
func (d decoder) param(p pair, path string) Param {
	out := Param{Name: p.key, Note: Note{Pos: p.pos}}
	switch p.val.kind {
	case empty:
		d.add(p.pos, path, "missing value")
	case list:
		for i, item := range p.val.items {
			out.Values = append(out.Values, d.value(item, indexed(path, i)))
		}
	default:
		out.Values = []Value{d.value(p.val, path)}
	}
	return out
}

// value decodes a scalar, or a mapping that stands for a call: {uniform: [1KiB, 1MiB]} is uniform(1KiB,1MiB).
func (d decoder) value(n *node, path string) Value {
	v := Value{Text: n.text, Note: Note{Pos: n.pos}}
	switch {
	case n.kind == broken:
	case n.kind == empty:
		d.add(n.pos, path, "missing value")
	case n.kind == mapping && len(n.pairs) == 1:
		text, ok := callText(n.pairs[0])
		if v.Text = text; !ok {
			d.add(n.pos, path,
				"a mapping that is no call (want a value such as %q, or a mapping such as {uniform: [1KiB, 1MiB]})", "uniform(1KiB,1MiB)")
		}
	case n.kind != scalar:
		d.add(n.pos, path, "%s where a single value belongs", n.kind)
	}
	return v
}

// callText writes a mapping as a call.
func callText(p pair) (string, bool) {
	var args []string
	switch v := p.val; v.kind {
	case scalar:
		args = []string{v.text}
	case list:
		for _, item := range v.items {
			if item.kind != scalar {
				return "", false
			}
			args = append(args, item.text)
		}
	case mapping:
		for _, arg := range v.pairs {
			if arg.val.kind != scalar {
				return "", false
			}
			sign := "=" // lognormal(median=1MiB), but hist(4KiB:60)
			if arg.key != "" && arg.key[0] >= '0' && arg.key[0] <= '9' {
				sign = ":"
			}
			args = append(args, arg.key+sign+arg.val.text)
		}
	case empty:
		return "", false
	}
	return p.key + "(" + strings.Join(args, ",") + ")", true
}

// dataSets decodes data sets, by their names.
func (d decoder) dataSets(n *node, sets *DataSets, path string) {
	if n.kind != mapping {
		d.add(n.pos, path, "%s where a mapping belongs (want data sets by name, as in pool: {objects: 1000, size: 1MiB})", n.kind)
		return
	}
	for _, p := range n.pairs {
		set := DataSet{Name: p.key, Note: Note{Pos: p.pos}}
		at := joined(path, p.key)
		if _, twice := sets.Lookup(p.key); twice {
			d.add(p.pos, at, "the name is given twice")
		}
		d.mapping(p.val, reflect.ValueOf(&set).Elem(), at)
		*sets = append(*sets, set)
	}
}

// do decodes an operation: the key that is the name of a benchmark, and its parameters.
func (d decoder) do(n *node, to *Do, path string) {
	to.Pos = n.pos
	if n.kind == scalar {
		n = &node{kind: mapping, pos: n.pos, pairs: []pair{{n.text, n.pos, &node{kind: empty, pos: n.pos}}}}
	}
	i := slices.IndexFunc(n.pairs, func(p pair) bool { _, ok := work.Lookup(p.key); return ok })
	if i < 0 {
		d.noOperation(n, path)
		return
	}
	rest := *n
	rest.pairs = slices.Concat(n.pairs[:i], n.pairs[i+1:])
	if p := n.pairs[i]; p.val.kind != empty { // head-bucket needs no data set
		to.Set = d.value(p.val, joined(path, p.key))
	}
	to.Op = n.pairs[i].key
	d.mapping(&rest, reflect.ValueOf(to).Elem(), path)
	for j := 0; j < len(to.Params); j++ {
		if p := to.Params[j]; isOperation(p.Name) {
			d.add(p.Pos, path, "two operations in one entry: %s and %s (want a list item for each)", to.Op, p.Name)
		}
	}
}

func isOperation(name string) bool {
	_, ok := work.Lookup(name)
	return ok
}

// noOperation complains about an entry that names no operation.
func (d decoder) noOperation(n *node, path string) {
	fs := fieldsOf(reflect.TypeFor[Do]())
	for _, p := range n.pairs {
		if _, ok := fs.lookup(p.key); !ok {
			d.add(p.pos, path, "%s", unknown("operation", p.key, operations()))
			return
		}
	}
	d.add(n.pos, path, "no operation (want an entry such as {get: NAME, weight: 2})")
}

// operations returns the names of all operations.
func operations() (names []string) {
	for _, info := range work.Registry() {
		names = append(names, info.Name)
	}
	return names
}
