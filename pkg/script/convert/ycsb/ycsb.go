// Package ycsb reads property files and command lines of YCSB.
package ycsb

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// ycsb is the properties of a workload, and which of the two commands runs it: a file alone stands for both.
type converter struct {
	*draft.Draft
	settings
	load, run bool
	command   bool
}

// missingRecords is what YCSB takes for a recordcount of 0.
const missingRecords = math.MaxInt32

// convert drafts the scenario.
func (y *converter) convert() {
	if !y.check() {
		return
	}
	y.Place(y.values["recordcount"].at)
	set := y.dataSet()
	ops := y.operations(set.Name)
	if len(ops) == 0 && y.run {
		y.Addf(script.Pos{}, "all proportions are 0")
	}
	if y.number("insertproportion") > 0 && y.growing() {
		set.Grow = draft.Yes()
	}
	y.target()
	if len(y.List) > 0 {
		return
	}
	switch {
	case !y.run:
		y.measure("load", []script.Do{draft.Op("put", set.Name)}, y.inserted())
		set.Keep = draft.Yes()
	case !y.load && !y.uploads():
		set.Existing, set.Assume = draft.Yes(), script.Text("names")
		y.measure("run", ops, y.whole("operationcount"))
	default:
		y.prepare(set)
		y.measure("run", ops, y.whole("operationcount"))
	}
}

// prepare adds the upload of a data set that is measured afterwards.
func (y *converter) prepare(set *script.DataSet) {
	threads := y.value("threadcount", strconv.FormatUint(y.threads(y.inserted()), 10))
	ph := script.Phase{Prepare: script.Text(set.Name), Load: script.Load{Threads: []script.Value{threads}}}
	ph.Pos, set.Keep = set.Pos, draft.Yes()
	if !y.load {
		draft.AddNote(&ph.Head, "The run uploads to these objects, so it makes them first, as load does.")
	}
	y.Phases = append(y.Phases, ph)
}

// text returns a property, or its default.
func (y *converter) text(name string) string {
	if p, ok := y.values[name]; ok {
		return p.value
	}
	for _, o := range options {
		if o.Name == name {
			return o.Default
		}
	}
	return ""
}

// fail reports a property whose value cannot be used.
func (y *converter) fail(name, format string, args ...any) {
	p := y.values[name]
	y.Addf(p.at, "%s%s=%s %s", p.in, name, y.text(name), fmt.Sprintf(format, args...))
}

// value returns a value that follows from a property, which errors about it name.
func (y *converter) value(name, text string) script.Value {
	p := y.values[name]
	if p.in == "" {
		y.Name(p.at, name)
	}
	return script.Text(text).At(p.at)
}

func (y *converter) number(name string) float64 {
	x, err := strconv.ParseFloat(y.text(name), 64)
	if err != nil || !(x >= 0 && x <= 1e15) {
		y.fail(name, "(want a number)")
		return 0
	}
	return x
}

func (y *converter) whole(name string) uint64 {
	x := y.number(name)
	if x != math.Trunc(x) {
		y.fail(name, "(want a whole number)")
	}
	return uint64(x)
}

// on reports whether a switch is on.
func (y *converter) on(name string) bool { return strings.EqualFold(y.text(name), "true") }

// check reports properties that cannot be used; false if nothing else matters.
func (y *converter) check() bool {
	if class := y.text("workload"); class != "" && !strings.HasSuffix(class, ".CoreWorkload") {
		y.fail("workload", "(want CoreWorkload: only its operations can be converted)")
		return false
	}
	for _, name := range y.names {
		p := y.values[name]
		y.Key(p.at, p.in+"unknown property", name, p.value, options)
	}
	records, first, inserted := y.whole("recordcount"), y.whole("insertstart"), y.inserted()
	switch {
	case records == 0 && y.values["insertcount"].value == "":
		y.Addf(y.values["recordcount"].at, "recordcount is missing (YCSB would take %d)", missingRecords)
	case first+inserted > max(records, (1-min(records, 1))*missingRecords):
		y.fail("insertstart", "with insertcount=%d is more than recordcount=%d, which YCSB refuses too", inserted, records)
	case inserted == 0:
		y.fail("insertcount", "(want at least 1)")
	}
	if y.whole("threadcount") == 0 {
		y.fail("threadcount", "(want at least 1)")
	}
	if y.on("dataintegrity") && y.text("fieldlengthdistribution") != "constant" {
		y.fail("dataintegrity", "with fieldlengthdistribution=%s, which YCSB refuses too", y.text("fieldlengthdistribution"))
	}
	return true
}

// inserted returns the number of records that load makes.
func (y *converter) inserted() uint64 {
	if y.values["insertcount"].value != "" {
		return y.whole("insertcount")
	}
	records, first := y.whole("recordcount"), y.whole("insertstart")
	return max(records, first) - first
}

// target says which store is measured.
func (y *converter) target() {
	y.Target.Bucket = y.value("table", y.text("table"))
	endpoint := y.values["s3.endPoint"]
	if other := y.values["s3.endpoint"]; endpoint.value == "" && other.value != "" {
		endpoint = other
		y.Notef("s3.endpoint: YCSB reads s3.endPoint only, so it would measure s3.amazonaws.com; here the host is the one of s3.endpoint.")
	}
	if host := endpoint.value; host != "" {
		if !strings.Contains(host, "://") {
			host = strings.ToLower(y.text("s3.protocol")) + "://" + host
		}
		y.SetHosts(endpoint.at, host)
	} else if y.command {
		y.Notef("Without s3.endPoint YCSB measures s3.amazonaws.com; here it is the store of --host or WARP_HOST.")
	}
	if region := y.text("s3.region"); region != "" {
		y.Target.Region = y.value("s3.region", region)
	}
	for _, o := range []struct {
		on   bool
		name string
	}{{y.on("s3.sse"), "sse-s3"}, {y.text("s3.ssec") != "", "encrypt"}} {
		if o.on {
			y.Target.Params = append(y.Target.Params, script.NewParam(o.name, "true"))
		}
	}
	if y.text("s3.ssec") != "" {
		y.Notef("Approximated: s3.ssec; objects are encrypted with keys of this run.")
	}
	for name, flag := range map[string]string{"s3.accessKeyId": "access-key", "s3.secretKey": "secret-key"} {
		if p := y.values[name]; p.value != "" {
			y.Secret(p.at, flag, p.value)
		}
	}
}

// threads returns the number of threads for a number of operations; 0: any.
func (y *converter) threads(ops uint64) uint64 {
	n := y.whole("threadcount")
	if ops > 0 {
		n = min(n, ops)
	}
	if y.values["s3.maxConnections"].value != "" {
		n = min(n, max(1, y.whole("s3.maxConnections")))
	}
	return n
}

// sdkConnections is how many connections the S3 binding has unless s3.maxConnections says so.
const sdkConnections = 50

// measure adds a measured phase.
func (y *converter) measure(label string, do []script.Do, ops uint64) {
	ph := y.Measure(label, do...)
	threads := y.value("threadcount", strconv.FormatUint(y.threads(ops), 10))
	ph.Load.Threads = []script.Value{threads}
	if rate := y.number("target"); rate > 0 {
		ph.Load = script.Load{Rate: []script.Value{y.value("target", draft.Decimal(rate))}, MaxInflight: threads}
		draft.AddNote(&ph.Head,
			"Approximated: target; threads of the original wait for their turns, and leave that out of latency unless it is the intended one.")
	}
	if y.threads(ops) > sdkConnections && y.values["s3.maxConnections"].value == "" {
		draft.AddNote(&ph.Head, "The S3 binding of YCSB has %d connections for all threads; here each thread has its own.", sdkConnections)
	}
	if ops > 0 {
		ph.Until.Ops = y.value("operationcount", strconv.FormatUint(ops, 10))
	}
	if s := y.whole("maxexecutiontime"); s > 0 {
		ph.Until.Time = y.value("maxexecutiontime", draft.Duration(time.Duration(min(s, 1<<32))*time.Second).Text)
	}
	if ph.Until.Ops.IsZero() && ph.Until.Time.IsZero() {
		y.Addf(y.values["operationcount"].at, "neither operationcount nor maxexecutiontime is set")
	}
}

// uploads reports whether some operations of the run upload.
func (y *converter) uploads() bool {
	return slices.ContainsFunc([]string{"updateproportion", "insertproportion", "readmodifywriteproportion"},
		func(name string) bool { return y.number(name) > 0 })
}
