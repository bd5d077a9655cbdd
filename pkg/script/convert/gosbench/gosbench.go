// Package gosbench reads test files of gosbench.
package gosbench

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "gosbench", Title: "gosbench", File: "a test file of gosbench",
	Options: options,
	Detect:  func(text string) bool { return top.MatchString(text) && strings.Contains(text, "_weight") },
	Read:    read,
}

var top = regexp.MustCompile(`(?m)^tests:[ \t]*\r?$`)

// testKeys lists the keys of a test, and what became of them.
var testKeys = draft.Rows([][3]string{
	{"name", "", "`run`, the name of the phase"},
	{"read_weight", "0", "`get` with its weight, over objects that the test made before"},
	{"existing_read_weight", "0", "`get` with its weight, over objects that are there already"},
	{"write_weight", "0", "`put` with its weight"},
	{"delete_weight", "0", "`delete` with its weight"},
	{"list_weight", "0", "`list` with its weight"},
	{"objects.size_min", "", "`size` of the data set"},
	{"objects.size_max", "", "`size` of the data set: `uniform(...)`"},
	{"objects.part_size", "", "`part` of the data set"},
	{"objects.size_distribution", "", "constant: one size; random: `uniform`; sequential: `uniform`, with a comment"},
	{"objects.unit", "", "unit of sizes; KB is 1024 bytes"},
	{"objects.number_min", "", "`objects` of the data set, for each bucket"},
	{"objects.number_max", "", "`objects` of the data set: constant numbers only; others take the greatest, with a comment"},
	{"objects.number_distribution", "", "see number_max"},
	{"buckets.number_min", "", "`buckets` of the data set"},
	{"buckets.number_max", "", "`buckets` of the data set: as for objects"},
	{"buckets.number_distribution", "", "as for objects"},
	{"bucket_prefix", "", "`bucket` of the target; of one test only, if tests differ"},
	{"object_prefix", "", "first part of `keys`"},
	{"stop_with_runtime", "", "`until: {time: ...}`"},
	{"stop_with_ops", "", "`until: {ops: ...}`"},
	{"workers", "", "a comment: the number of clients is given by --warp-client"},
	{"workers_share_buckets", "", "`division: share`, or each"},
	{"parallel_clients", "", "`load`: threads"},
	{"clean_after", "", "`keep: true` if false"},
	{"write_option", "", "refused"},
	{"read_option", "", "refused"},
})

func options() []draft.Option {
	return append(draft.Rows([][3]string{
		{"s3_config", "", "`hosts` and `region` of the target; keys and proxies are left out"},
		{"grafana_config", "", "nothing"},
		{"report_config", "", "nothing"},
		{"global", "", "nothing"},
	}), testKeys...)
}

// s3Keys lists the keys of an entry of s3_config.
var s3Keys = []string{"access_key", "secret_key", "region", "endpoint", "skipSSLverify", "proxyHost", "timeout", "usePathStyle"}

// test is the keys of one test.
type test struct {
	*draft.Draft
	at     script.Pos
	values map[string]draft.Entry
}

func read(d *draft.Draft, text string) {
	root := draft.ParseYAML(text, &d.Problems)
	for _, key := range root.Keys {
		switch key {
		case "s3_config":
			target(d, root.Values[key])
		case "tests", "grafana_config", "report_config", "global":
		default:
			d.Addf(root.Places[key], "unknown key %q", key)
		}
	}
	names := map[string]bool{}
	for i, e := range root.Values["tests"].List {
		t := &test{d, e.At, map[string]draft.Entry{}}
		t.collect("", e)
		if len(d.List) == 0 {
			t.convert(i, names)
		}
	}
	d.Notef(draft.KeysNote)
}

// target sets the hosts.
func target(d *draft.Draft, list draft.Entry) {
	for i, e := range list.List {
		for _, key := range e.Keys {
			value := e.Values[key]
			switch {
			case key == "endpoint":
				d.SetHosts(value.Text)
			case key == "region" && i == 0:
				d.Target.Region = script.Text(value.Text)
			case key == "region" && value.Text != d.Target.Region.Text:
				d.Notef("Approximated: endpoints of several regions; all requests are signed for %s here.", d.Target.Region.Text)
			case key == "skipSSLverify" && draft.IsTrue(value.Text) && i == 0:
				d.Target.Params = append(d.Target.Params, script.NewParam("insecure", "true"))
			case key == "usePathStyle" && draft.IsTrue(value.Text) && i == 0:
				d.Target.Params = append(d.Target.Params, script.NewParam("lookup", "path"))
			case key == "proxyHost" && value.Text != "":
				d.Addf(value.At, "requests through a proxy cannot be converted")
			default:
				if !slices.Contains(s3Keys, key) {
					d.Unknown(e.Places[key], "unknown key", key, value.Text, s3Keys)
				}
			}
		}
	}
	if len(list.List) > 1 {
		d.Notef("Approximated: in the original a worker keeps to one endpoint; here requests go to all hosts.")
	}
}

// collect flattens the keys of a test.
func (t *test) collect(prefix string, e draft.Entry) {
	for _, key := range e.Keys {
		value := e.Values[key]
		if name := prefix + key; value.Values != nil && (name == "objects" || name == "buckets") {
			t.collect(name+".", value)
			continue
		}
		known := false
		for _, o := range testKeys {
			known = known || o.Name == prefix+key
		}
		if !known {
			t.Addf(e.Places[key], "unknown key %q", prefix+key)
			continue
		}
		t.values[prefix+key] = value
	}
}

// whole returns a whole number; 0 if it is not there.
func (t *test) whole(key string) uint64 {
	v, ok := t.values[key]
	if !ok || v.Text == "" {
		return 0
	}
	n, err := strconv.ParseUint(v.Text, 10, 62)
	if err != nil {
		t.Addf(v.At, "%s: invalid value %q (want a whole number)", key, v.Text)
	}
	return n
}

// greatest returns the number of objects or buckets.
func (t *test) greatest(of string, head *string) uint64 {
	low, high := t.whole(of+".number_min"), t.whole(of+".number_max")
	if low != high && low > 0 {
		draft.AddNote(head, "Approximated: the original takes from %d to %d %s, this one the greatest number.", low, high, of)
	}
	return max(low, high, 1)
}

var sizeUnits = map[string]int{"": 0, "B": 0, "K": 10, "KB": 10, "M": 20, "MB": 20, "G": 30, "GB": 30, "T": 40, "TB": 40}

// sizes returns the sizes of objects.
func (t *test) sizes(head *string) string {
	unit := t.values["objects.unit"]
	shift, ok := sizeUnits[strings.ToUpper(unit.Text)]
	if !ok {
		t.Addf(unit.At, "unknown unit %q (want B, KB, MB, GB or TB)", unit.Text)
		return ""
	}
	low, high := t.whole("objects.size_min"), t.whole("objects.size_max")
	if max(low, high) > math.MaxInt64>>shift {
		t.Addf(t.at, "sizes are too large")
		return ""
	}
	text := func(n uint64) string { return units.ExactSize(int64(n << shift)) }
	switch dist := t.values["objects.size_distribution"]; dist.Text {
	case "", "constant":
		return text(low)
	case "sequential":
		draft.AddNote(head, "Approximated: sizes follow one another in the original; here they are random.")
	case "random":
	default:
		t.Addf(dist.At, "unknown distribution %q (want constant, random or sequential)", dist.Text)
	}
	if low >= high {
		return text(low)
	}
	return fmt.Sprintf("uniform(%s,%s)", text(low), text(high))
}

// convert adds the phases of a test.
func (t *test) convert(i int, names map[string]bool) {
	name := t.values["name"].Text
	if name == "" || names[name] {
		name = strings.TrimSpace(fmt.Sprintf("%s test-%d", name, i+1))
	}
	names[name] = true
	for _, key := range []string{"read_option", "write_option"} {
		if v := t.values[key]; v.Text != "" {
			t.Addf(v.At, "%s cannot be converted", key)
		}
	}
	set := t.Set(fmt.Sprintf("d%d", i+1))
	t.dataSet(set)
	ops := t.operations(set.Name)
	if len(ops) == 0 {
		t.Addf(t.at, "test %q has no weights", name)
		return
	}
	prepare := t.whole("read_weight")+t.whole("list_weight")+t.whole("delete_weight") > 0 && set.Existing.IsZero()
	if prepare {
		t.Phases = append(t.Phases, script.Phase{Prepare: script.Text(set.Name)})
	}
	ph := t.Measure(name, ops...)
	ph.Load.Threads = []script.Value{draft.Number(max(1, t.whole("parallel_clients")))}
	t.until(ph)
	if v := t.values["workers_share_buckets"]; v.Text != "" {
		ph.Division = script.Text(map[bool]string{true: "share", false: "each"}[draft.IsTrue(v.Text)])
	}
	if w := t.whole("workers"); w > 1 {
		draft.AddNote(&ph.Head, "The test has %d workers: run it with as many clients (--warp-client).", w)
	}
	if clean, ok := t.values["clean_after"]; ok && !draft.IsTrue(clean.Text) {
		set.Keep = draft.Yes()
	} else if set.Existing.IsZero() {
		t.Phases = append(t.Phases, script.Phase{Clean: script.Text(set.Name)})
	}
}

// dataSet says which objects a test works on.
func (t *test) dataSet(set *script.DataSet) {
	buckets := t.greatest("buckets", &set.Head)
	objects := t.greatest("objects", &set.Head)
	if objects > math.MaxInt64/buckets {
		t.Addf(t.at, "too many objects")
		return
	}
	set.Objects = draft.Number(objects * buckets)
	set.Size = script.Text(t.sizes(&set.Head))
	if buckets > 1 {
		set.Buckets = draft.Number(buckets)
	}
	if prefix := t.values["object_prefix"].Text; prefix != "" {
		set.Keys = script.Text(draft.KeyText(prefix) + "{i}")
	}
	if part := t.whole("objects.part_size"); part > 0 {
		shift := sizeUnits[strings.ToUpper(t.values["objects.unit"].Text)]
		set.Part = script.Text(units.ExactSize(int64(min(part, math.MaxInt64>>shift) << shift)))
	}
	if prefix := t.values["bucket_prefix"].Text; prefix != "" {
		if known := t.Target.Bucket.Text; known != "" && known != prefix+"0" {
			draft.AddNote(&set.Head, "Approximated: the original has buckets of its own for this test, %s0 and so on.", prefix)
		} else {
			t.Target.Bucket = script.Text(prefix + "0")
		}
	}
	if t.whole("existing_read_weight") == 0 {
		return
	}
	if t.whole("read_weight")+t.whole("write_weight")+t.whole("delete_weight") > 0 {
		t.Addf(t.values["existing_read_weight"].At,
			"existing_read_weight with other weights cannot be converted: a data set either exists before the run or is created by it")
	}
	set.Existing = draft.Yes()
}

// operations returns the weighted operations of a test.
func (t *test) operations(set string) (ops []script.Do) {
	for _, o := range []struct {
		key, op string
		params  []string
	}{
		{"read_weight", "get", []string{"access", "uniform"}},
		{"existing_read_weight", "get", []string{"access", "uniform"}},
		{"write_weight", "put", nil},
		{"list_weight", "list", nil},
		{"delete_weight", "delete", []string{"batch", "1"}},
	} {
		if w := t.whole(o.key); w > 0 {
			op := draft.Op(o.op, set, o.params...)
			op.Weight = draft.Number(w)
			ops = append(ops, op)
		}
	}
	if len(ops) == 1 {
		ops[0].Weight = script.Value{}
	}
	return ops
}

// until sets what ends a test.
func (t *test) until(ph *script.Phase) {
	if v := t.values["stop_with_runtime"]; v.Text != "" && v.Text != "0" {
		d, err := time.ParseDuration(v.Text)
		if err != nil || d <= 0 {
			t.Addf(v.At, "stop_with_runtime: invalid value %q (want a duration, as in 30s)", v.Text)
		}
		ph.Until.Time = draft.Duration(d)
	}
	if n := t.whole("stop_with_ops"); n > 0 {
		ph.Until.Ops = draft.Number(n)
	}
	if ph.Until.Time.IsZero() && ph.Until.Ops.IsZero() {
		ph.Until.Passes = script.Text("1")
		draft.AddNote(&ph.Head, "Without stop_with_runtime and stop_with_ops each object is used once.")
	}
}
