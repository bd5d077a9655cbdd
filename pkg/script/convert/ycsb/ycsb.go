// Package ycsb reads property files of YCSB.
package ycsb

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/magiconair/properties"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "ycsb", Title: "YCSB", File: "a property file of YCSB",
	Options: func() []draft.Option { return options },
	Detect:  func(text string) bool { return top.MatchString(text) },
	Read:    read,
}

var top = regexp.MustCompile(`(?m)^[ \t]*(recordcount|operationcount|(read|update|scan|insert|readmodifywrite)proportion)[ \t]*[=:]`)

// options lists the properties, and what became of them.
var options = draft.Rows([][3]string{
	{"recordcount", "0", "`objects` of the data set"},
	{"operationcount", "0", "`until: {ops: ...}`"},
	{"maxexecutiontime", "0", "`until: {time: ...}`"},
	{"threadcount", "1", "`load`: threads"},
	{"target", "0", "`rate`, with as many operations at a time as threads"},
	{"readproportion", "0.95", "`get` with its weight"},
	{"updateproportion", "0.05", "`put` with `overwrite: true`; a whole object is written"},
	{"insertproportion", "0", "`put`"},
	{"scanproportion", "0", "`list` with `start-after`"},
	{"readmodifywriteproportion", "0", "`get`, then `put` of the same object"},
	{"requestdistribution", "uniform", "`access`: uniform, ycsb-zipf, latest(0.99), hot(...) or seq; exponential is refused"},
	{"hotspotdatafraction", "0.2", "`hot(...)`"},
	{"hotspotopnfraction", "0.8", "`hot(...)`"},
	{"fieldcount", "10", "`size` of the data set: with fieldlength"},
	{"fieldlength", "100", "`size` of the data set"},
	{"fieldlengthdistribution", "constant", "constant: one size; uniform: normal of the same mean and deviation; others are refused"},
	{"minfieldlength", "1", "least length of a field with uniform"},
	{"maxscanlength", "1000", "`max-keys`: the mean, with a comment"},
	{"minscanlength", "1", "as maxscanlength"},
	{"scanlengthdistribution", "uniform", "uniform; zipfian is refused"},
	{"insertorder", "hashed", "`keys`: user{hash:20d}; ordered: user{i}"},
	{"zeropadding", "1", "digits of `keys` with ordered"},
	{"table", "usertable", "the name of the data set"},
	{"insertstart", "0", "refused, unless 0"},
	{"insertcount", "recordcount", "refused, unless it is recordcount"},
	{"dataintegrity", "false", "`verify: true`"},
	{"s3.endPoint", "", "`hosts` of the target"},
	{"s3.protocol", "HTTPS", "scheme of `hosts`"},
	{"s3.region", "", "`region` of the target"},
	{"s3.accessKeyId", "", "nothing: credentials are never in a scenario"},
	{"s3.secretKey", "", "nothing: credentials are never in a scenario"},
	{"workload", "", "nothing; other classes than CoreWorkload are refused"},
	{"readallfields", "true", "nothing: a whole object is read"},
	{"writeallfields", "false", "nothing: a whole object is written"},
})

// ignored are prefixes of properties about how YCSB measures and prints.
var ignored = regexp.MustCompile(`^(measurement|measurementtype|histogram|hdrhistogram|status|timeseries|exporter|exportfile|label|` +
	`s3\.|fieldnameprefix|core_workload_insertion_retry|db$|dotransactions|exponential\.)`)

// namesOf returns the names of options.
func namesOf(options []draft.Option) (names []string) {
	for _, o := range options {
		names = append(names, o.Name)
	}
	return names
}

// ycsb is a property file.
type ycsb struct {
	*draft.Draft
	props *properties.Properties
}

func read(d *draft.Draft, text string) {
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	props, err := loader.LoadBytes([]byte(text))
	if err != nil {
		d.Addf(script.Pos{}, "%w", err)
		return
	}
	y := &ycsb{d, props}
	y.check()
	set := y.dataSet()
	ops := y.operations(set.Name)
	if len(ops) == 0 {
		y.Addf(script.Pos{}, "all proportions are 0")
	}
	if len(d.List) > 0 {
		return
	}
	threads := script.Load{Threads: []script.Value{script.Text(y.text("threadcount"))}}
	y.Phases = append(y.Phases, script.Phase{Prepare: script.Text(set.Name), Load: threads})
	y.phase(ops)
	d.Notef("The load and the run of YCSB are two phases here: prepare, and run.")
	d.Notef(draft.KeysNote)
}

// text returns a property, or its default.
func (y *ycsb) text(name string) string {
	for _, o := range options {
		if o.Name == name {
			return strings.TrimSpace(y.props.GetString(name, o.Default))
		}
	}
	return ""
}

func (y *ycsb) number(name string) float64 {
	x, err := strconv.ParseFloat(y.text(name), 64)
	if err != nil || x < 0 || x > 1e15 {
		y.Addf(script.Pos{}, "%s=%s (want a number)", name, y.text(name))
		return 0
	}
	return x
}

func (y *ycsb) whole(name string) uint64 {
	x := y.number(name)
	if x != math.Trunc(x) {
		y.Addf(script.Pos{}, "%s=%s (want a whole number)", name, y.text(name))
	}
	return uint64(x)
}

// check reports properties that cannot be used.
func (y *ycsb) check() {
	known := namesOf(options)
	for _, key := range y.props.Keys() {
		if !slices.Contains(known, key) && !ignored.MatchString(key) {
			y.Unknown(script.Pos{}, "unknown property", key, y.props.GetString(key, ""), known)
		}
	}
	if class := y.text("workload"); class != "" && !strings.HasSuffix(class, ".CoreWorkload") {
		y.Addf(script.Pos{}, "workload=%s (want CoreWorkload)", class)
	}
	if y.whole("insertstart") != 0 {
		y.Addf(script.Pos{}, "insertstart=%s: objects are numbered from 0", y.text("insertstart"))
	}
	if n := y.text("insertcount"); n != "recordcount" && n != y.text("recordcount") {
		y.Addf(script.Pos{}, "insertcount=%s (want recordcount)", n)
	}
	if y.whole("recordcount") == 0 {
		y.Addf(script.Pos{}, "recordcount is missing")
	}
	if y.whole("threadcount") == 0 {
		y.Addf(script.Pos{}, "threadcount=0 (want at least 1)")
	}
}

// dataSet says which objects there are.
func (y *ycsb) dataSet() *script.DataSet {
	s := y.Set(y.text("table"))
	s.Objects = draft.Number(y.whole("recordcount"))
	s.Size = script.Text(y.size(s))
	s.Keys = script.Text("user{hash:20d}")
	if y.text("insertorder") == "ordered" {
		s.Keys = script.Text("user{i}")
		if n := y.whole("zeropadding"); n > 1 && n <= 20 {
			s.Keys = script.Textf("user{i:0%d}", n)
		}
	}
	if y.number("insertproportion") > 0 {
		s.Grow = draft.Yes()
	}
	if endpoint := y.text("s3.endPoint"); endpoint != "" {
		if !strings.Contains(endpoint, "://") {
			endpoint = strings.ToLower(y.text("s3.protocol")) + "://" + endpoint
		}
		y.SetHosts(endpoint)
	}
	if region := y.text("s3.region"); region != "" {
		y.Target.Region = script.Text(region)
	}
	return s
}

// size returns the sizes of objects: the sum of the fields.
func (y *ycsb) size(s *script.DataSet) string {
	n, length := y.number("fieldcount"), y.number("fieldlength")
	if n*length < 1 || n*length > 5<<40 {
		y.Addf(script.Pos{}, "fieldcount=%s, fieldlength=%s: objects of %g bytes", y.text("fieldcount"), y.text("fieldlength"), n*length)
		return ""
	}
	switch dist := y.text("fieldlengthdistribution"); dist {
	case "constant":
	case "uniform":
		least := y.number("minfieldlength")
		if least > length {
			break
		}
		draft.AddNote(&s.Head, "Approximated: the sum of %g fields of %g to %g bytes is close to a normal distribution.", n, least, length)
		spread := (length - least) * math.Sqrt(n/12)
		return fmt.Sprintf("normal(%.0f,%.0f,min=1)", n*(least+length)/2, max(1, spread))
	default:
		y.Addf(script.Pos{}, "fieldlengthdistribution=%s cannot be converted (want constant or uniform)", dist)
	}
	return units.ExactSize(int64(n * length))
}

// access returns the pattern of requests.
func (y *ycsb) access() string {
	switch dist := y.text("requestdistribution"); dist {
	case "uniform":
		return "uniform"
	case "zipfian":
		return "ycsb-zipf"
	case "latest":
		return "latest(0.99)"
	case "sequential":
		return "seq"
	case "hotspot":
		return fmt.Sprintf("hot(%s%%,%s%%)", draft.Decimal(100*y.number("hotspotdatafraction")), draft.Decimal(100*y.number("hotspotopnfraction")))
	default:
		y.Addf(script.Pos{}, "requestdistribution=%s cannot be converted (want uniform, zipfian, latest, hotspot or sequential)", dist)
		return ""
	}
}

// operations returns the weighted operations.
func (y *ycsb) operations(set string) (ops []script.Do) {
	access := y.access()
	get := draft.Op("get", set, "access", access)
	if y.text("dataintegrity") == "true" {
		get.Params = append(get.Params, script.NewParam("verify", "true"))
	}
	modify := get
	modify.Then = []script.Do{draft.Op("put", "same")}
	for _, o := range []struct {
		share string
		op    script.Do
	}{
		{"readproportion", get},
		{"updateproportion", draft.Op("put", set, "access", access, "overwrite", "true")},
		{"insertproportion", draft.Op("put", set)},
		{"scanproportion", y.scan(set)},
		{"readmodifywriteproportion", modify},
	} {
		if share := y.number(o.share); share > 0 {
			o.op.Weight = script.Text(draft.Decimal(100 * share))
			ops = append(ops, o.op)
		}
	}
	if len(ops) == 1 {
		ops[0].Weight = script.Value{}
	}
	return ops
}

// scan returns the operation of a scan.
func (y *ycsb) scan(set string) script.Do {
	lowest, highest := y.whole("minscanlength"), y.whole("maxscanlength")
	o := draft.Op("list", set, "start-after", "true", "max-keys", fmt.Sprint(min(1000, max(1, (lowest+highest)/2))))
	if y.number("scanproportion") > 0 {
		draft.AddNote(&o.Head,
			"Approximated: a scan reads %d to %d records, uniformly; here one page has the mean number, and a listing goes on to its end.",
			lowest, highest)
		if dist := y.text("scanlengthdistribution"); dist != "uniform" {
			y.Addf(script.Pos{}, "scanlengthdistribution=%s cannot be converted (want uniform)", dist)
		}
	}
	return o
}

// phase adds the measured phase.
func (y *ycsb) phase(ops []script.Do) {
	ph := y.Measure("run", ops...)
	threads := script.Text(y.text("threadcount"))
	ph.Load.Threads = []script.Value{threads}
	if rate := y.number("target"); rate > 0 {
		ph.Load = script.Load{Rate: script.Texts(draft.Decimal(rate)), MaxInflight: threads}
		draft.AddNote(&ph.Head,
			"Approximated: target; threads of the original wait for their turns, and leave that out of latency unless it is the intended one.")
	}
	if n := y.whole("operationcount"); n > 0 {
		ph.Until.Ops = draft.Number(n)
	}
	if s := y.whole("maxexecutiontime"); s > 0 {
		ph.Until.Time = draft.Duration(time.Duration(min(s, 1<<32)) * time.Second)
	}
	if ph.Until.Ops.IsZero() && ph.Until.Time.IsZero() {
		y.Addf(script.Pos{}, "neither operationcount nor maxexecutiontime is set")
	}
}
