package convert

import (
	"flag"
	"regexp"
	"slices"
	"strings"

	"warp/pkg/bench/work"
	"warp/pkg/script"
)

var warpSource = Source{
	Name: "warp", Title: "MinIO warp", File: "a file of MinIO warp (warp run)",
	Options:   warpOptions,
	detect:    warpTop.MatchString,
	convert:   convertWarp,
	variables: templateVariables,
}

// warpTop is the key that holds everything; in a scenario it is the version.
var warpTop = regexp.MustCompile(`(?m)^["']?warp["']?:[ \t]*(#.*|\{.*)?\r?$|\A\s*\{\s*["']?warp["']?\s*:\s*\{`)

// warpGroups are the groups of keys: those whose keys are flags, and those whose keys are the ends of flags.
var warpGroups = map[string]string{
	"remote": "", "params": "", "io": "", "advanced": "",
	"analyze": "analyze.", "obj": "obj.", "autoterm": "autoterm.", "distribution": "",
}

// warpRenames are keys that differ from their flags.
var warpRenames = map[string]string{
	"sse-c-encrypt": "encrypt", "analyze.verbose": "analyze.v", "analyze.skip-duration": "analyze.skip",
	"analyze.segment-duration": "analyze.dur", "analyze.filter-op": "analyze.op", "obj.part-size": "part.size",
	"obj.versions": "versions", "obj.rand-size": "obj.randsize", "obj.parts": "parts", "server-profile": "serverprof",
	"bench-data": "benchdata", "autoterm.enabled": "autoterm", "no-prefix": "noprefix", "no-clear": "noclear",
	"sse-s3-encrypt": "sse-s3",
}

// warpFlag is what becomes of a flag that is not one of the operation.
type warpFlag struct {
	became string
	apply  func(c *warpConverter, value Entry)
}

// warpFlags lists these flags.
var warpFlags = map[string]warpFlag{
	"host":         {"`hosts` of the target", (*warpConverter).setHosts},
	"tls":          {"`tls` of the target", (*warpConverter).targetParam},
	"bucket":       {"`bucket` of the target", func(c *warpConverter, v Entry) { c.Target.Bucket = script.Text(v.text) }},
	"region":       {"`region` of the target", func(c *warpConverter, v Entry) { c.Target.Region = script.Text(v.text) }},
	"access-key":   {"nothing: credentials are never in a scenario", (*warpConverter).credentials},
	"secret-key":   {"nothing: credentials are never in a scenario", (*warpConverter).credentials},
	"objects":      {"`objects` of the data set", func(c *warpConverter, v Entry) { c.Set("objects").Objects = script.Text(v.text) }},
	"obj.size":     {"`size` of the data set", func(c *warpConverter, v Entry) { c.size = v.text }},
	"obj.randsize": {"`size: log2(...)` of the data set", func(c *warpConverter, v Entry) { c.random = IsTrue(v.text) }},
	"obj.generator": {"`content` of the data set", func(c *warpConverter, v Entry) {
		c.Set("objects").Content.Kind = script.Text(map[bool]string{true: "random", false: v.text}[v.text == "csv"])
		if v.text == "csv" {
			c.Notef("Approximated: obj.generator: csv; contents are random here.")
		}
	}},
	"prefix":       {"`prefix` of the data set", func(c *warpConverter, v Entry) { c.Set("objects").Prefix = script.Text(v.text) }},
	"noprefix":     {"`noprefix` of the data set", func(c *warpConverter, v Entry) { c.Set("objects").NoPrefix = script.Text(v.text) }},
	"noclear":      {"`keep` of the data set", func(c *warpConverter, v Entry) { c.Set("objects").Keep = script.Text(v.text) }},
	"keep-data":    {"`keep` of the data set", func(c *warpConverter, v Entry) { c.Set("objects").Keep = script.Text(v.text) }},
	"concurrent":   {"`load`: threads", func(c *warpConverter, v Entry) { c.phase.Load.Threads = []script.Value{script.Text(v.text)} }},
	"rps-limit":    {"`rps-limit` of the load", func(c *warpConverter, v Entry) { c.phase.Load.RPSLimit = script.Text(v.text) }},
	"duration":     {"`until: {time: ...}`", func(c *warpConverter, v Entry) { c.phase.Until.Time = script.Text(v.text) }},
	"autoterm":     {"`until: {steady: ...}`", func(c *warpConverter, v Entry) { c.steady = IsTrue(v.text) }},
	"autoterm.dur": {"part of `until: {steady: ...}`", func(c *warpConverter, v Entry) { c.stable = v.text }},
	"autoterm.pct": {"part of `until: {steady: ...}`", func(c *warpConverter, v Entry) { c.within = v.text }},
	"benchdata":    {"`recording` of the outputs", func(c *warpConverter, v Entry) { c.Outputs.Recording = script.Text(v.text) }},
	"full":         {"nothing: all operations are recorded", func(*warpConverter, Entry) {}},

	"disable-multipart":      {"nothing: an object is uploaded with one request", func(*warpConverter, Entry) {}},
	"disable-sha256-payload": {"nothing: contents are hashed only with `payload: signed`", func(*warpConverter, Entry) {}},
	"obj.name":               {"nothing: keys follow from the seed", func(*warpConverter, Entry) {}},
}

// warpTarget are flags about hosts, requests and uploads that keep their names.
var warpTarget = []string{
	"insecure", "lookup", "signature", "encrypt", "sse-s3", "host-select", "resolve-host", "disable-http-keepalive", "http2", "sndbuf",
	"rcvbuf", "checksum", "md5", "storage-class", "add-metadata", "tag",
}

// warpCommand are flags of the command that no scenario has.
var warpCommand = []string{
	"warp-client", "syncstart", "serverprof", "quiet", "json", "no-color", "debug", "stress",
	"analyze.v", "analyze.skip", "analyze.dur", "analyze.op", "analyze.out", "analyze.host", "analyze.hostdetails", "analyze.full",
}

func warpOptions() (list []Option) {
	list = append(list, Option{"benchmark", "", "the operation; each of its flags becomes a parameter of the same name"})
	for name, f := range warpFlags {
		list = append(list, Option{name, "", f.became})
	}
	for _, name := range warpTarget {
		list = append(list, Option{name, "", "`" + name + "` of the target"})
	}
	for _, name := range warpCommand {
		list = append(list, Option{name, "", "a flag of the command: a comment says its value"})
	}
	slices.SortFunc(list[1:], func(a, b Option) int { return strings.Compare(a.Name, b.Name) })
	return append(list, Option{"templates", "", "expanded, with --var NAME=VALUE"})
}

// warpConverter makes a phase of a benchmark.
type warpConverter struct {
	*Draft
	info           work.Info
	params         map[string]bool // flags of the operation
	phase          script.Phase
	size           string
	random, steady bool
	stable, within string
}

func convertWarp(d *Draft, text string) {
	text = expandTemplate(d, text)
	if len(d.list) > 0 {
		return
	}
	if i := strings.Index(text, "{{"); i >= 0 && len(d.vars) == 0 {
		d.Addf(script.Pos{Line: 1 + strings.Count(text[:i], "\n")}, "the file is a template; set its variables with --var NAME=VALUE")
		return
	}
	root := ParseYAML(text, &d.Problems).values["warp"]
	if len(d.list) > 0 {
		return
	}
	name := root.values["benchmark"]
	c := &warpConverter{Draft: d, size: "", stable: "15s", within: "7.5"}
	var ok bool
	if c.info, ok = work.Lookup(name.text); !ok {
		d.Addf(name.at, "benchmark %q cannot be a scenario (want one that warp --help lists)", name.text)
		return
	}
	if api := root.values["api"]; api.text != "v1" {
		d.Addf(api.at, "api %q (want v1)", api.text)
	}
	c.convert(root)
}

// convert makes the phase.
func (c *warpConverter) convert(root Entry) {
	fs := flag.NewFlagSet(c.info.Name, flag.ContinueOnError)
	c.info.New().Flags(fs)
	c.params = map[string]bool{}
	fs.VisitAll(func(f *flag.Flag) { c.params[f.Name] = true })
	set := c.Set("objects")
	c.phase = script.Phase{Run: script.Text(c.info.Name), Do: []script.Do{Op(c.info.Name, "objects")}}
	c.phase.Load.Threads, c.phase.Until.Time = []script.Value{script.Text("20")}, script.Text("5m")
	if f := fs.Lookup("objects"); f != nil {
		set.Objects = script.Text(f.DefValue)
	}
	c.size = c.info.Size
	for _, key := range root.keys {
		if key != "api" && key != "benchmark" {
			c.group("", key, root.values[key])
		}
	}
	switch {
	case c.random:
		set.Size = script.Textf("log2(%s)", c.size)
		if strings.Contains(c.size, ",") {
			low, high, _ := strings.Cut(c.size, ",")
			set.Size = script.Textf("log2(%s,%s)", low, high)
		}
	case strings.Contains(c.size, ":"):
		set.Size = script.Textf("hist(%s)", c.size)
	default:
		_, largest, two := strings.Cut(c.size, ",")
		if set.Size = script.Text(c.size); two {
			set.Size = script.Text(largest)
			c.Notef("Of obj.size=%s, the original takes the larger without obj.rand-size.", c.size)
		}
	}
	if c.steady {
		c.phase.Until.Steady = script.Textf("%s%%/%s", c.within, c.stable)
	}
	c.Phases = append(c.Phases, c.phase)
}

// group converts a key: a group of keys, or a flag.
func (c *warpConverter) group(prefix, key string, value Entry) {
	if lead, ok := warpGroups[key]; ok && value.values != nil {
		for _, k := range value.keys {
			if key == "distribution" {
				c.flag(k+"-distrib", value.values[k])
				continue
			}
			c.group(prefix+lead, k, value.values[k])
		}
		return
	}
	name := prefix + key
	if value.values != nil {
		c.Addf(value.at, "unknown group %q", name)
		return
	}
	if renamed, ok := warpRenames[name]; ok {
		name = renamed
	}
	c.flag(name, value)
}

// flag converts a flag of a benchmark command.
func (c *warpConverter) flag(name string, value Entry) {
	f, known := warpFlags[name]
	switch {
	case value.text == "" && value.list == nil: // as if it was not there
	case name != "objects" && c.params[name]:
		c.phase.Do[0].Params = append(c.phase.Do[0].Params, script.NewParam(name, value.Texts()...))
	case known:
		f.apply(c, value)
	case slices.Contains(warpTarget, name):
		c.Target.Params = append(c.Target.Params, script.NewParam(name, value.Texts()...))
	case slices.Contains(warpCommand, name):
		c.Notef("A flag of the command: --%s=%s", name, strings.Join(value.Texts(), ","))
	case value.text == "false": // as if it was not there
		c.Notef("Not known, and left out: %s=false", name)
	default:
		c.Addf(value.at, "unknown key %q of the benchmark %s", name, c.info.Name)
	}
}

func (c *warpConverter) setHosts(v Entry) {
	c.SetHosts(strings.Split(strings.Join(v.Texts(), ","), ",")...)
}

func (c *warpConverter) targetParam(v Entry) {
	c.Target.Params = append(c.Target.Params, script.NewParam("tls", v.text))
}

func (c *warpConverter) credentials(Entry) { c.Notef(KeysNote) }

// texts returns the scalars of a list, or the one scalar.
func (e Entry) Texts() (list []string) {
	if e.list == nil {
		return []string{e.text}
	}
	for _, i := range e.list {
		list = append(list, i.text)
	}
	return list
}
