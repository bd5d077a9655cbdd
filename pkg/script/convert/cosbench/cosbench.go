// Package cosbench reads workload files of COSBench.
package cosbench

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "cosbench", Title: "COSBench", File: "a workload file of COSBench",
	Options: options,
	Detect: func(text string) bool {
		return strings.HasPrefix(strings.TrimSpace(text), "<") && strings.Contains(text, "<workload") && strings.Contains(text, "<workstage")
	},
	Read: read,
}

func options() []draft.Option {
	return draft.Rows([][3]string{
		{"storage type", "", "s3 only: the others are refused"},
		{"storage endpoint", "", "`hosts` of the target"},
		{"storage accesskey, secretkey, auth", "", "nothing: credentials are never in a scenario"},
		{"storage path_style_access", "", "`lookup` of the target"},
		{"workstage", "", "phases in order; several works run in parallel"},
		{"workstage closuredelay, work type delay", "0", "`wait`"},
		{"workstage trigger, workload trigger", "", "refused: nothing runs a script on the servers"},
		{"work type init, dispose", "", "nothing: buckets are made before the run, and removed if the run made them"},
		{"work type prepare", "", "`prepare`: all objects of the data set are made, with a comment if the original makes only some"},
		{"work type cleanup", "", "`clean`: deletes what the run made, and nothing else"},
		{"work type normal", "", "`run`"},
		{"workers", "1", "`load`: threads; divided among clients by their number, as by drivers"},
		{"runtime", "", "`until: {time: ...}`"},
		{"totalOps", "", "`until: {ops: ...}`"},
		{"totalBytes", "", "`until: {bytes: ...}`"},
		{"rampup", "0", "`warmup`"},
		{"rampdown", "0", "a comment: the end is not left out"},
		{"interval", "5", "nothing: --analyze.dur of the report"},
		{"division", "none", "`division: share` for object and container"},
		{"afr", "200000", "`expect`: errors; only where it is written"},
		{"driver", "", "`on-clients`"},
		{"operation read", "", "`get`"},
		{"operation write", "", "`put` that overwrites the objects of its range"},
		{"operation delete", "", "`delete`"},
		{"operation list", "", "`list`"},
		{"operation head", "", "`stat`"},
		{"operation mwrite", "", "refused, as are filewrite, mfilewrite, localwrite and restore"},
		{"ratio", "100", "`weight`"},
		{"cprefix, csuffix", "", "`bucket` of the target; names of several buckets end otherwise"},
		{"oprefix, osuffix", "", "`keys` of the data set"},
		{"containers", "", "`buckets` of the data set; all of them are used by each operation"},
		{"objects", "", "`access: range(...)`: c and s in sequence, u at random, r in sequence; h is refused"},
		{"sizes", "", "`size` of the data set: KB is 1000 bytes; r and s at random"},
		{"hashCheck", "false", "`verify`"},
		{"createContainer, deleteContainer", "", "nothing"},
	})
}

// converter makes phases of workstages.
type converter struct {
	*draft.Draft
	sets []*dataSet
}

// dataSet is a data set: objects whose names have the same beginning and end.
type dataSet struct {
	name                 string
	cprefix, csuffix     string
	oprefix, osuffix     string
	firstBucket, lastOne uint64
	objects              uint64 // the greatest number of an object in a bucket
	size                 string
	keep                 bool // not cleaned up
	verify               bool
	note                 string
}

func (s *dataSet) buckets() uint64 { return s.lastOne - s.firstBucket + 1 }

func read(d *draft.Draft, text string) {
	root := parseXML(text, d)
	if len(d.List) > 0 || root == nil {
		return
	}
	c := &converter{Draft: d}
	if root.name != "workload" {
		d.Addf(root.at, "<%s> (want <workload>)", root.name)
		return
	}
	root.inherit(nil)
	c.walk(root, c.storage)
	c.walk(root, c.collect)
	if len(d.List) > 0 {
		return
	}
	for _, e := range root.children {
		if e.name != "workflow" {
			continue
		}
		for _, stage := range e.children {
			if stage.name == "workstage" {
				c.stage(stage)
			}
		}
	}
	c.dataSets()
	d.Notef(draft.KeysNote)
}

func (c *converter) walk(e *element, visit func(*element)) {
	visit(e)
	for _, child := range e.children {
		c.walk(child, visit)
	}
}

// storage says which store is measured.
func (c *converter) storage(e *element) {
	if e.attrs["trigger"] != "" {
		c.Addf(e.at, "trigger %q: nothing runs a script on the servers; use exec in the scenario", e.attrs["trigger"])
	}
	if e.name != "storage" {
		return
	}
	switch e.attrs["type"] {
	case "s3", "siov1", "none", "mock":
	default:
		c.Addf(e.at, "storage of type %q is no S3", e.attrs["type"])
	}
	own := configOf(e.attrs["config"])
	if len(c.Target.Hosts) == 0 {
		c.SetHosts(own["endpoint"])
	} else if c.Target.Hosts[0].Text != strings.TrimSuffix(own["endpoint"], "/") {
		c.Addf(e.at, "a second storage with another endpoint (want one)")
	}
	if own["region"] != "" || own["aws_region"] != "" {
		c.Target.Region = script.Text(own["region"] + own["aws_region"])
	}
	if draft.IsTrue(own["path_style_access"]) && len(c.Target.Params) == 0 {
		c.Target.Params = append(c.Target.Params, script.NewParam("lookup", "path"))
	}
	for _, key := range []string{"proxyhost", "proxy_host"} {
		if own[key] != "" {
			c.Addf(e.at, "requests through a proxy cannot be converted")
		}
	}
}

// of returns the data set of an element.
func (c *converter) of(e *element) *dataSet {
	cprefix, ok := e.config["cprefix"]
	if !ok {
		cprefix = "mycontainers_"
	}
	oprefix, ok := e.config["oprefix"]
	if !ok {
		oprefix = "myobjects"
	}
	key := dataSet{cprefix: cprefix, csuffix: e.config["csuffix"], oprefix: oprefix, osuffix: e.config["osuffix"]}
	for _, s := range c.sets {
		if s.cprefix == key.cprefix && s.csuffix == key.csuffix && s.oprefix == key.oprefix && s.osuffix == key.osuffix {
			return s
		}
	}
	key.name = "objects"
	if len(c.sets) > 0 {
		key.name += strconv.Itoa(len(c.sets) + 1)
	}
	c.sets = append(c.sets, &key)
	return &key
}

// collect finds out which buckets and objects there are, and how large they are.
func (c *converter) collect(e *element) {
	kind := e.attrs["type"]
	special := e.name == "work" && (kind == "prepare" || kind == "cleanup" || kind == "init" || kind == "dispose")
	if e.name != "operation" && !special {
		return
	}
	s := c.of(e)
	if sel, ok := c.selector(e, "containers"); ok {
		if s.firstBucket == 0 || sel.first < s.firstBucket {
			s.firstBucket = sel.first
		}
		s.lastOne = max(s.lastOne, sel.last)
	}
	if kind != "init" && kind != "dispose" { // COSBench itself saves them with objects=r(0,0)
		if sel, ok := c.selector(e, "objects"); ok {
			s.objects = max(s.objects, sel.last)
		}
	}
	s.verify = s.verify || draft.IsTrue(e.config["hashCheck"])
	sel, ok := c.selector(e, "sizes")
	if !ok || kind != "prepare" && kind != "write" {
		return
	}
	size, note, err := sel.sizes()
	switch {
	case err != nil:
		c.Addf(e.at, "sizes=%s: %w", e.config["sizes"], err)
	case s.size != "" && s.size != size:
		c.Addf(e.at, "sizes=%s: other objects of the same names have %s; objects of a data set have the same distribution of sizes",
			e.config["sizes"], s.size)
	}
	s.size, s.note = size, note
}

// selector returns a selector of the configuration, if it is there.
func (c *converter) selector(e *element, key string) (s selector, ok bool) {
	text := e.config[key]
	if text == "" {
		return s, false
	}
	s, err := parseSelector(text)
	switch {
	case err != nil:
		c.Addf(e.at, "%s: %w", key, err)
	case key != "sizes" && s.first < 1:
		c.Addf(e.at, "%s=%s: numbers begin at 1", key, text)
	case key == "objects" && s.form == 'h':
		c.Addf(e.at, "%s=%s: a histogram of objects cannot be converted", key, text)
	}
	return s, err == nil
}

// stage adds the phases of a workstage.
func (c *converter) stage(stage *element) {
	var works []script.Phase
	for _, w := range stage.children {
		if w.name == "work" {
			works = append(works, c.work(w, stage.attrs["name"])...)
		}
	}
	switch {
	case len(works) > 1:
		c.Phases = append(c.Phases, script.Phase{Parallel: works})
	case len(works) == 1:
		c.Phases = append(c.Phases, works[0])
	}
	if n := stage.whole("closuredelay", 0, &c.Problems); n > 0 {
		c.Phases = append(c.Phases, script.Phase{Wait: seconds(n)})
	}
}

func seconds(n uint64) script.Value {
	return draft.Duration(time.Duration(min(n, 1<<32)) * time.Second)
}

// work returns the phase of a work.
func (c *converter) work(w *element, stage string) []script.Phase {
	threads := draft.Number(w.whole("workers", 1, &c.Problems))
	switch kind := w.attrs["type"]; kind {
	case "init", "dispose":
		c.Notef("init, dispose: buckets are made before the run, and removed if the run made them; that is not measured.")
	case "delay":
		return []script.Phase{{Wait: seconds(w.whole("closuredelay", w.whole("runtime", 60, &c.Problems), &c.Problems))}}
	case "cleanup":
		s := c.of(w)
		s.keep = false
		return []script.Phase{{Clean: script.Text(s.name), Load: script.Load{Threads: []script.Value{threads}}}}
	case "prepare":
		return c.prepare(w, threads)
	case "", "normal":
		return c.normal(w, stage, threads)
	default:
		c.Addf(w.at, "work of type %q (want init, prepare, normal, cleanup, dispose or delay)", kind)
	}
	return nil
}

func (c *converter) prepare(w *element, threads script.Value) []script.Phase {
	s := c.of(w)
	s.keep = true
	load := script.Load{Threads: []script.Value{threads}}
	sel, _ := c.selector(w, "objects")
	ph := script.Phase{Prepare: script.Text(s.name), Load: load}
	if sel.first > 1 || sel.last != s.objects {
		draft.AddNote(&ph.Head, "Approximated: all objects are made here; the original makes %d to %d, and others when they are first written.",
			sel.first, sel.last)
	}
	return []script.Phase{ph}
}

// normal returns the phase of a measured work.
func (c *converter) normal(w *element, stage string, threads script.Value) []script.Phase {
	name := w.attrs["name"]
	if name = strings.TrimSpace(name); name == "" {
		name = cmp.Or(strings.TrimSpace(stage), "work")
	}
	ph := script.Phase{Run: script.Text(name), Load: script.Load{Threads: []script.Value{threads}}}
	for _, o := range w.children {
		if o.name == "operation" {
			ph.Do = append(ph.Do, c.operation(o)...)
		}
	}
	if len(ph.Do) == 1 {
		ph.Do[0].Weight = script.Value{}
	}
	if len(ph.Do) == 0 && len(c.List) == 0 {
		c.Addf(w.at, "work %q has no operations", name)
	}
	ramp := w.whole("rampup", 0, &c.Problems)
	if n := w.whole("runtime", 0, &c.Problems); n > 0 {
		ph.Until.Time = seconds(n)
	}
	if n := w.whole("totalOps", 0, &c.Problems); n > 0 {
		ph.Until.Ops = draft.Number(n)
	}
	if n := w.whole("totalBytes", 0, &c.Problems); n > 0 {
		ph.Until.Bytes = draft.Number(n)
	}
	if ph.Until.Time.IsZero() && ph.Until.Ops.IsZero() && ph.Until.Bytes.IsZero() {
		c.Addf(w.at, "work %q has no end (want runtime, totalOps or totalBytes)", name)
	}
	if ramp > 0 {
		ph.Warmup = seconds(ramp)
	}
	if w.whole("rampdown", 0, &c.Problems) > 0 {
		draft.AddNote(&ph.Head, "Approximated: rampdown; the end of the phase is in the report.")
	}
	if w.attrs["afr"] != "" {
		ph.Expect = []script.Expect{{If: script.Textf("errors < %s%%", draft.Decimal(float64(w.whole("afr", 0, &c.Problems))/10_000))}}
	}
	if division := w.attrs["division"]; division == "object" || division == "container" {
		ph.Division = script.Text("share")
	}
	if driver := w.attrs["driver"]; driver != "" {
		ph.OnClients = script.Texts(driver)
	}
	return []script.Phase{ph}
}
