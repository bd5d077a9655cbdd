// Package gosbench reads test files of gosbench.
package gosbench

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// test is the keys of one test.
type test struct {
	*draft.Draft
	at       script.Pos
	values   map[string]draft.Entry
	existing bool // all tests of the file read what is in the bucket already, and do nothing else
}

func read(d *draft.Draft, text string) {
	root := draft.ParseYAML(text, &d.Problems)
	for _, key := range root.Keys {
		value := root.Values[key]
		if d.Key(root.Places[key], "unknown key", key, value.Text, topOptions) && key == "s3_config" {
			target(d, value)
		}
	}
	var tests []*test
	existing := true
	for _, e := range root.Values["tests"].List {
		t := &test{Draft: d, at: e.At, values: map[string]draft.Entry{}}
		t.collect("", e)
		kinds := t.kinds()
		existing = existing && len(kinds) == 1 && kinds[0].key == existingReads
		tests = append(tests, t)
	}
	for _, t := range tests {
		if t.existing = existing; len(d.List) == 0 {
			t.convert()
		}
	}
}

// target sets the hosts.
func target(d *draft.Draft, list draft.Entry) {
	for i, e := range list.List {
		for _, key := range e.Keys {
			value := e.Values[key]
			if d.Key(e.Places[key], "unknown key", key, value.Text, storeOptions) {
				store(d, key, value, i == 0)
			}
		}
	}
	if len(list.List) > 1 {
		d.Notef("Approximated: in the original a worker keeps to one endpoint; here requests go to all hosts.")
	}
}

// store sets what one key of a store says.
func store(d *draft.Draft, key string, value draft.Entry, first bool) {
	switch {
	case key == "endpoint":
		d.SetHosts(value.At, value.Text)
	case key == "region" && !first && value.Text != d.Target.Region.Text:
		d.Notef("Approximated: endpoints of several regions; all requests are signed for %s here.", d.Target.Region.Text)
	case !first:
	case key == "region":
		d.Target.Region = value.Value(value.Text)
	case key == "skipSSLverify" && draft.IsTrue(value.Text):
		d.Target.Params = append(d.Target.Params, script.NewParam("insecure", "true"))
	case key == "usePathStyle" && draft.IsTrue(value.Text):
		d.Target.Params = append(d.Target.Params, script.NewParam("lookup", "path"))
	case key == "access_key", key == "secret_key":
		d.Secret(value.At, strings.ReplaceAll(key, "_", "-"), value.Text)
	}
}

// collect flattens the keys of a test.
func (t *test) collect(prefix string, e draft.Entry) {
	for _, key := range e.Keys {
		value := e.Values[key]
		if name := prefix + key; value.Values != nil && (name == "objects" || name == "buckets") {
			t.collect(name+".", value)
		} else if t.Key(e.Places[key], "unknown key", name, value.Text, testOptions) {
			t.values[name] = value
		}
	}
}

// whole returns a whole number; 0 if it is not there.
func (t *test) whole(key string) uint64 {
	v, ok := t.values[key]
	if !ok || v.Text == "" {
		return 0
	}
	n, err := strconv.ParseUint(v.Text, 10, 64)
	most := uint64(maxNumber)
	if strings.HasSuffix(key, "_weight") {
		most = maxWeight
	}
	if err != nil || n > most {
		t.Addf(v.At, "%s: invalid value %q (want a whole number, at most %d)", key, v.Text, most)
		return 0
	}
	return n
}

const (
	maxNumber = 1_000_000_000
	maxWeight = 1_000_000
)

// number returns the number of objects or buckets.
func (t *test) number(of string) uint64 {
	low, high := t.whole(of+".number_min"), t.whole(of+".number_max")
	switch dist := t.values[of+".number_distribution"]; dist.Text {
	case "", "constant":
		high = low
	case "random", "sequential":
		if low < high {
			t.Notef("Approximated: the original takes from %d to %d %s, here it is the greatest number.", low, high, of)
		}
	default:
		t.Addf(dist.At, "unknown distribution %q (want constant, random or sequential)", dist.Text)
	}
	if _, given := t.values[of+".number_min"]; max(low, high) == 0 && (given || of == "objects") {
		t.Addf(t.at, "%s.number_min is missing, or 0 (want at least 1)", of)
	}
	return max(low, high, 1)
}

var sizeUnits = map[string]int{"": 0, "B": 0, "K": 10, "KB": 10, "M": 20, "MB": 20, "G": 30, "GB": 30, "T": 40, "TB": 40}

// sizes returns the sizes of a number of objects.
func (t *test) sizes(objects uint64) (text, note string) {
	unit := t.values["objects.unit"]
	shift, ok := sizeUnits[strings.ToUpper(unit.Text)]
	if !ok {
		t.Addf(unit.At, "unknown unit %q (want B, KB, MB, GB or TB)", unit.Text)
		return "", ""
	}
	low, high := t.whole("objects.size_min"), t.whole("objects.size_max")
	if max(low, high) > math.MaxInt64>>shift {
		t.Addf(t.values["objects.size_max"].At, "sizes are too large")
		return "", ""
	}
	size := func(n uint64) string { return units.ExactSize(int64(n << shift)) }
	switch dist := t.values["objects.size_distribution"]; dist.Text {
	case "", "constant":
		return size(low), ""
	case "sequential":
		return fmt.Sprintf("uniform(1,%s)", units.ExactSize(int64(max(1, min(objects, high<<shift))))),
			"Approximated: the objects of the original have 1, 2, 3 ... bytes; here sizes are random."
	case "random":
		if low < high {
			return fmt.Sprintf("uniform(%s,%s)", size(low), size(high)), ""
		}
	default:
		t.Addf(dist.At, "unknown distribution %q (want constant, random or sequential)", dist.Text)
	}
	return size(low), ""
}

// convert adds the phases of a test.
func (t *test) convert() {
	t.Place(t.at)
	kinds := t.kinds()
	name := t.Label(cmp.Or(t.values["name"].Text, "test"))
	if len(kinds) == 0 {
		t.Addf(t.at, "test %q has no weights", name)
		return
	}
	set := t.dataSet(kinds)
	threads := []script.Value{draft.Number(max(1, t.whole("parallel_clients"))).At(t.values["parallel_clients"].At)}
	made := set.Existing.IsZero()
	if made {
		ph := script.Phase{Prepare: script.Text(set.Name), Load: script.Load{Threads: threads}}
		ph.Pos = t.at
		t.Phases = append(t.Phases, ph)
	}
	ph := t.Measure(name, t.operations(set.Name, kinds)...)
	ph.Load.Threads = threads
	t.until(ph)
	if w := t.whole("workers"); w > 1 {
		draft.AddNote(&ph.Head, "The test has %d workers: run it with as many clients (--warp-client).", w)
	}
	switch {
	case !made:
	case draft.IsTrue(t.values["clean_after"].Text):
		t.Phases = append(t.Phases, script.Phase{Note: script.Note{Pos: t.at}, Clean: script.Text(set.Name)})
	default:
		set.Keep = draft.Yes()
	}
}

// until sets what ends a test: the time, and only without one the operations of each worker.
func (t *test) until(ph *script.Phase) {
	if v := t.values["stop_with_runtime"]; v.Text != "" && v.Text != "0" {
		d, err := time.ParseDuration(v.Text)
		if ns, bad := strconv.ParseInt(v.Text, 10, 64); bad == nil {
			d, err = time.Duration(ns), nil
		}
		if err != nil || d <= 0 {
			t.Addf(v.At, "stop_with_runtime: invalid value %q (want a duration, as in 30s)", v.Text)
		}
		ph.Until.Time = draft.Duration(d).At(v.At)
		if t.whole("stop_with_ops") > 0 {
			draft.AddNote(&ph.Head, "stop_with_ops counts for nothing with stop_with_runtime, as in the original.")
		}
		return
	}
	if n := t.ops(); n > 0 {
		ph.Until.Ops = draft.Number(n).At(t.values["stop_with_ops"].At)
		return
	}
	t.Addf(t.at, "the test has no end (want stop_with_runtime or stop_with_ops)")
}

// ops returns the number of operations of all workers.
func (t *test) ops() uint64 { return t.whole("stop_with_ops") * max(1, t.whole("workers")) }
