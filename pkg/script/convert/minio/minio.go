// Package minio reads files of MinIO warp (warp run).
package minio

import (
	"flag"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"warp/internal/naming"
	"warp/pkg/bench/work"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// Source reads the files of the tool.
var Source = draft.Source{
	Name: "warp", Title: "MinIO warp", File: "a file of MinIO warp (warp run)",
	Options:           options,
	Detect:            top.MatchString,
	Read:              read,
	TemplateVariables: templateVariables,
	Secrets:           []string{"access-key", "secret-key", "influxdb"},
}

// top is the key that holds everything; in a scenario it is the version.
var top = regexp.MustCompile(`(?m)^["']?warp["']?:[ \t]*(#.*|\{.*)?\r?$|\A\s*\{\s*["']?warp["']?\s*:\s*\{`)

// groups are the groups of keys: those whose keys are flags, and those whose keys are the ends of flags.
var groups = map[string]string{
	"remote": "", "params": "", "io": "", "advanced": "",
	"analyze": "analyze.", "obj": "obj.", "autoterm": "autoterm.", "distribution": "",
}

// renames are keys that differ from their flags.
var renames = map[string]string{
	"sse-c-encrypt": "encrypt", "analyze.verbose": "analyze.v", "analyze.skip-duration": "analyze.skip",
	"analyze.segment-duration": "analyze.dur", "analyze.filter-op": "analyze.op", "obj.part-size": "part.size",
	"obj.versions": "versions", "obj.rand-size": "obj.randsize", "obj.parts": "parts", "server-profile": "serverprof",
	"bench-data": "benchdata", "autoterm.enabled": "autoterm", "no-prefix": "noprefix", "no-clear": "noclear",
	"sse-s3-encrypt": "sse-s3",
}

// runFlag is what becomes of a flag that is not one of the operation.
type runFlag struct {
	became string
	apply  func(c *converter, name string, value draft.Entry)
}

// runFlags lists these flags.
var runFlags = map[string]runFlag{
	"host":         {"`hosts` of the target", (*converter).setHosts},
	"tls":          {"`tls` of the target", (*converter).targetParam},
	"bucket":       {"`bucket` of the target", func(c *converter, _ string, v draft.Entry) { c.Target.Bucket = v.Value(v.Text) }},
	"region":       {"`region` of the target", func(c *converter, _ string, v draft.Entry) { c.Target.Region = v.Value(v.Text) }},
	"access-key":   {"credentials of the run; never in a scenario", (*converter).credential},
	"secret-key":   {"credentials of the run; never in a scenario", (*converter).credential},
	"objects":      {"`objects` of the data set", func(c *converter, _ string, v draft.Entry) { c.Set("objects").Objects = v.Value(v.Text) }},
	"obj.size":     {"`size` of the data set", func(c *converter, _ string, v draft.Entry) { c.size = v }},
	"obj.randsize": {"`size: log2(...)` of the data set", func(c *converter, _ string, v draft.Entry) { c.random = draft.IsTrue(v.Text) }},
	"obj.generator": {"`content` of the data set", func(c *converter, _ string, v draft.Entry) {
		c.Set("objects").Content.Kind = script.Text(map[bool]string{true: "random", false: v.Text}[v.Text == "csv"])
		if v.Text == "csv" {
			c.Notef("Approximated: obj.generator: csv; contents are random here.")
		}
	}},
	"prefix": {"`prefix` of the data set", func(c *converter, _ string, v draft.Entry) { c.Set("objects").Prefix = v.Value(v.Text) }},
	"noprefix": {"`noprefix` of the data set", func(c *converter, name string, v draft.Entry) {
		c.Set("objects").NoPrefix = param(name, v).Values[0]
	}},
	"noclear":   {"`keep` of the data set", (*converter).keep},
	"keep-data": {"`keep` of the data set", (*converter).keep},
	"concurrent": {"`load`: threads", func(c *converter, _ string, v draft.Entry) {
		c.phase.Load.Threads = []script.Value{v.Value(v.Text)}
	}},
	"rps-limit":    {"`rps-limit` of the load", func(c *converter, _ string, v draft.Entry) { c.phase.Load.RPSLimit = v.Value(v.Text) }},
	"duration":     {"`until: {time: ...}`", func(c *converter, _ string, v draft.Entry) { c.phase.Until.Time = v.Value(v.Text) }},
	"autoterm":     {"`until: {steady: ...}`", func(c *converter, _ string, v draft.Entry) { c.steady = draft.IsTrue(v.Text) }},
	"autoterm.dur": {"part of `until: {steady: ...}`", func(c *converter, _ string, v draft.Entry) { c.stable = v.Text }},
	"autoterm.pct": {"part of `until: {steady: ...}`", func(c *converter, _ string, v draft.Entry) { c.within = v.Text }},
	"benchdata":    {"`recording` of the outputs", func(c *converter, _ string, v draft.Entry) { c.Outputs.Recording = v.Value(v.Text) }},
	"analyze.out":  {"`series` of the outputs", func(c *converter, _ string, v draft.Entry) { c.Outputs.Series = v.Value(v.Text) }},
	"full":         {"nothing: all operations are recorded", func(*converter, string, draft.Entry) {}},

	"part.size": {"`part.put` of the target; with multipart and multipart-put a parameter", (*converter).partSize},
	"list-existing": {"`existing` of the data set", func(c *converter, _ string, v draft.Entry) {
		if !off(v) {
			c.Set("objects").Existing = v.Value("true")
		}
	}},

	"disable-multipart":      {"`disable-multipart` of the target", (*converter).request},
	"disable-sha256-payload": {"`disable-sha256-payload` of the target", (*converter).request},
	"obj.name":               {"`keys` of the data set, with multipart", (*converter).objName},
}

// targetFlags are flags about hosts, requests and uploads that keep their names.
var targetFlags = []string{
	"insecure", "lookup", "signature", "encrypt", "sse-s3", "host-select", "resolve-host", "disable-http-keepalive", "http2", "sndbuf",
	"rcvbuf", "checksum", "md5", "storage-class", "add-metadata", "tag",
}

// commandFlags are flags of the command that no scenario has. Some of them it refuses, and says why.
var commandFlags = []string{
	"warp-client", "syncstart", "serverprof", "quiet", "json", "no-color", "debug", "stress", "influxdb", "requests",
	"analyze.v", "analyze.skip", "analyze.dur", "analyze.op", "analyze.host", "analyze.hostdetails", "analyze.full",
	"analyze.limit", "analyze.offset", "serve", "web", "ktls", "rdma", "rdma.window", "autocompletion", "stdout",
}

func options() (list []draft.Option) {
	list = append(list, draft.Option{Name: "benchmark", Became: "the operation; each of its flags becomes a parameter of the same name"})
	for name, f := range runFlags {
		list = append(list, draft.Option{Name: name, Became: f.became})
	}
	for _, name := range targetFlags {
		list = append(list, draft.Option{Name: name, Became: "`" + name + "` of the target"})
	}
	for _, name := range commandFlags {
		list = append(list, draft.Option{Name: name, Became: "a flag of `warp run`, which a conversion names in a comment"})
	}
	slices.SortFunc(list[1:], func(a, b draft.Option) int { return strings.Compare(a.Name, b.Name) })
	return append(list, draft.Option{Name: "templates", Became: "expanded, with --var NAME=VALUE"})
}

// converter makes a phase of a benchmark.
type converter struct {
	*draft.Draft
	info           work.Info
	params         map[string]bool // flags of the operation
	phase          *script.Phase
	size           draft.Entry
	random, steady bool
	stable, within string
}

func read(d *draft.Draft, text string) {
	text = expandTemplate(d, text)
	if len(d.List) > 0 {
		return
	}
	if i := strings.Index(text, "{{"); i >= 0 && len(d.Vars) == 0 {
		d.Addf(script.Pos{Line: 1 + strings.Count(text[:i], "\n")}, "the file is a template; set its variables with --var NAME=VALUE")
		return
	}
	root := draft.ParseYAML(text, &d.Problems).Values["warp"]
	if len(d.List) > 0 {
		return
	}
	name := root.Values["benchmark"]
	d.Place(name.At)
	c := &converter{Draft: d, stable: "15s", within: "7.5"}
	var ok bool
	if c.info, ok = work.Lookup(name.Text); !ok {
		d.Addf(name.At, "benchmark %q cannot be a scenario (want one that warp --help lists)", name.Text)
		return
	}
	if api := root.Values["api"]; api.Text != "v1" {
		d.Addf(api.At, "api %q (want v1)", api.Text)
	}
	c.convert(root)
}

// convert makes the phase.
func (c *converter) convert(root draft.Entry) {
	fs := flag.NewFlagSet(c.info.Name, flag.ContinueOnError)
	c.info.New().Flags(fs)
	c.params = map[string]bool{}
	fs.VisitAll(func(f *flag.Flag) { c.params[f.Name] = true })
	set := c.Set("objects")
	c.Target.Params = append(c.Target.Params, script.NewParam("compat", "minio"))
	c.phase = c.Measure(c.info.Name, draft.Op(c.info.Name, "objects"))
	c.phase.Load.Threads, c.phase.Until.Time = script.Texts("20"), script.Text("5m")
	if f := fs.Lookup("objects"); f != nil {
		set.Objects = script.Text(f.DefValue)
	}
	c.size.Text = c.info.Size
	for _, key := range root.Keys {
		if key != "api" && key != "benchmark" {
			c.group("", key, root.Values[key])
		}
	}
	if !c.size.At.IsZero() || c.random || !c.params["parts"] { // else the number of parts says the size
		set.Size = c.size.Value(c.sizes())
	}
	if !set.Keys.IsZero() { // which are the whole names
		set.NoPrefix = script.Value{}
	}
	if c.steady {
		c.phase.Until.Steady = script.Textf("%s%%/%s", c.within, c.stable)
	}
}

// sizes returns the sizes of objects.
func (c *converter) sizes() string {
	size := c.size.Text
	_, largest, two := strings.Cut(size, ",")
	switch {
	case c.random:
		return "log2(" + size + ")"
	case strings.Contains(size, ":"):
		return "hist(" + size + ")"
	case two:
		c.Notef("Of obj.size=%s, the original takes the larger without obj.rand-size.", size)
		return largest
	}
	return size
}

// group converts a key: a group of keys, or a flag.
func (c *converter) group(prefix, key string, value draft.Entry) {
	if lead, ok := groups[key]; ok && value.Values != nil {
		for _, k := range value.Keys {
			if key == "distribution" {
				c.flag(k+"-distrib", value.Values[k])
				continue
			}
			c.group(prefix+lead, k, value.Values[k])
		}
		return
	}
	name := prefix + key
	if value.Values != nil {
		c.Addf(value.At, "unknown group %q", name)
		return
	}
	if renamed, ok := renames[name]; ok {
		name = renamed
	}
	c.flag(name, value)
}

// flag converts a flag of a benchmark command.
func (c *converter) flag(name string, value draft.Entry) {
	f, known := runFlags[name]
	switch {
	case value.Text == "" && value.List == nil: // as if it was not there
	case c.params[name] && (!known || name == "part.size" && c.info.Name != "get"):
		c.phase.Do[0].Add(param(name, value))
	case known:
		f.apply(c, name, value)
	case slices.Contains(targetFlags, name):
		c.targetParam(name, value)
	case slices.Contains(commandFlags, name):
		if !off(value) {
			c.Flag(value.At, name, strings.Join(value.Texts(), ","))
		}
	case off(value): // as if it was not there
		c.Notef("Not known, and left out: %s=%s", name, value.Text)
	default:
		c.Addf(value.At, "unknown key %q of the benchmark %s", name, c.info.Name)
	}
}

func (c *converter) setHosts(_ string, v draft.Entry) {
	c.SetHosts(v.At, strings.Split(strings.Join(v.Texts(), ","), ",")...)
}

// targetParam sets an option of the target.
func (c *converter) targetParam(name string, v draft.Entry) {
	c.Target.Params = append(c.Target.Params, param(name, v))
}

// credential is for this run.
func (c *converter) credential(name string, v draft.Entry) { c.Secret(v.At, name, v.Text) }

// keep leaves the objects in the bucket.
func (c *converter) keep(_ string, v draft.Entry) {
	if !off(v) {
		c.Set("objects").Keep = v.Value("true")
	}
}

// request sets a switch about requests, which is off without it.
func (c *converter) request(name string, v draft.Entry) {
	if !off(v) {
		c.targetParam(name, v)
	}
}

// objName names the only object.
func (c *converter) objName(name string, v draft.Entry) {
	if c.info.Name != "multipart" {
		c.Notef("Left out: %s=%s, which only multipart has.", name, v.Text)
		return
	}
	c.Set("objects").Keys = v.Value(naming.Escape(v.Text))
}

// partSize sets the size of the parts of uploads.
func (c *converter) partSize(_ string, v draft.Entry) { c.targetParam("part.put", v) }

// param returns an option with the values of a key.
func param(name string, v draft.Entry) script.Param {
	p := script.Param{Name: name, Note: script.Note{Pos: v.At}}
	for _, text := range v.Texts() {
		if on, err := strconv.ParseBool(text); err == nil && len(text) > 1 { // as in True
			text = strconv.FormatBool(on)
		}
		p.Values = append(p.Values, v.Value(text))
	}
	return p
}

// off reports whether a key has the value of a switch that is off, or of a limit that does not exist.
func off(v draft.Entry) bool {
	on, err := strconv.ParseBool(v.Text)
	return err == nil && !on
}
