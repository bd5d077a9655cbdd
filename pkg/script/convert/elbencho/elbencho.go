// Package elbencho reads configuration files and command lines of elbencho that measure S3.
package elbencho

import (
	"regexp"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "elbencho", Title: "elbencho", File: "a configuration file of elbencho",
	Programs: []string{"elbencho"},
	Options:  func() []draft.Option { return options },
	Detect:   func(text string) bool { return isFile(text) || shell.Runs(text, "elbencho") },
	Read:     read,
	Command:  readCommand,
	Secrets:  []string{"s3key", "s3secret", "s3sessiontoken"},
}

var (
	line   = regexp.MustCompile(`^[ \t]*([a-z0-9]+)[ \t]*=`)
	s3Line = regexp.MustCompile(`(?m)^[ \t]*(s3endpoints|s3key)[ \t]*=`)
	phase  = regexp.MustCompile(`(?m)^[ \t]*(write|read)[ \t]*=`)
	amount = regexp.MustCompile(`(?m)^[ \t]*(threads|files)[ \t]*=`)
)

// isFile reports whether a text has lines of key=value alone, some of which elbencho has.
func isFile(text string) bool {
	if !s3Line.MatchString(text) && !(phase.MatchString(text) && amount.MatchString(text)) {
		return false
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' && !line.MatchString(l) {
			return false
		}
	}
	return true
}

func read(d *draft.Draft, text string) {
	if !isFile(text) && shell.Runs(text, "elbencho") {
		if c := shell.Find(text, "elbencho", &d.Problems); c != nil {
			readCommand(d, c)
		}
		return
	}
	j := &job{Draft: d, values: draft.Settings{}}
	j.file(text)
	j.convert()
}

func readCommand(d *draft.Draft, c *draft.Command) {
	j := &job{Draft: d, values: draft.Settings{}}
	j.command(c.Args)
	if name := j.text("configfile"); name != "" {
		if c.ReadFile == nil {
			d.Addf(j.at("configfile"), "%s: other files are not read (want its options here)", name)
		} else if text, err := c.ReadFile(name); err != nil {
			d.Addf(j.at("configfile"), "%s: %w", name, err)
		} else {
			j.file(text)
		}
	}
	j.convert()
}

// convert makes the scenario.
func (j *job) convert() {
	j.Check(j.values, options)
	r := j.newRun()
	if len(j.List) > 0 {
		return
	}
	j.target(r)
	r.dataSet()
	r.iterations()
	if !j.on("s3ignoreerrors") {
		j.Notef("The first error ends a run of elbencho; here errors are counted.")
	}
}

// target says which store is measured.
func (j *job) target(r *run) {
	for _, host := range names(j.text("s3endpoints")) {
		j.SetHosts(j.at("s3endpoints"), host)
	}
	param := func(name, value string) { j.Target.Params = append(j.Target.Params, script.NewParam(name, value)) }
	if len(j.Target.Hosts) > 1 {
		param("host-select", "roundrobin")
		draft.AddNote(&j.Target.Head, "Approximated: in the original a thread keeps to one endpoint; here requests go to hosts in turn.")
	}
	if len(r.buckets) > 0 {
		j.Target.Bucket = script.Text(r.buckets[0])
	}
	if region := j.text("s3region"); region != "" {
		j.Target.Region = script.Text(region)
	}
	param("lookup", map[bool]string{false: "path", true: "host"}[j.on("s3virtaddr")])
	switch sign := j.text("s3sign"); sign {
	case "0":
	case "1", "2":
		param("payload", map[string]string{"1": "signed", "2": "unsigned"}[sign])
	default:
		j.Addf(j.at("s3sign"), "s3sign: invalid value %q (want 0, 1 or 2)", sign)
	}
	if algorithm := j.text("s3chksumalgo"); !draft.IsOff(algorithm) {
		param("checksum", strings.ToUpper(algorithm))
	}
	if j.on("s3sse") {
		param("sse-s3", "true")
	}
	if key := j.text("s3ssekmskey"); key != "" {
		param("sse-kms", key)
	}
	if j.text("s3sseckey") != "" {
		param("encrypt", "true")
		draft.AddNote(&j.Target.Head, "Approximated: s3sseckey: keys are random, and are in no file.")
	}
	for _, c := range [][2]string{{"s3key", "access-key"}, {"s3secret", "secret-key"}, {"s3sessiontoken", "session-token"}} {
		if value, ok := j.values[c[0]]; ok && value.Text != "" && !strings.Contains(value.Text, "${") {
			j.Secret(value.At, c[1], value.Text)
		}
	}
	if start := j.whole("start"); start > 0 {
		j.Flag(j.at("start"), "syncstart", unixTime(start))
	}
}

// bucketsOf returns the buckets of paths.
func (j *job) bucketsOf() (list []string) {
	for _, p := range j.paths {
		for _, name := range expand(p.Text) {
			name = strings.Trim(strings.TrimPrefix(name, "s3://"), "/")
			if name == "" || strings.Contains(name, "/") {
				j.Addf(p.At, "%q: invalid bucket (want BUCKET or s3://BUCKET; names begin with s3objprefix)", p.Text)
				continue
			}
			if strings.HasPrefix(p.Text, "hdfs://") {
				j.Addf(p.At, "%q is no bucket", p.Text)
			}
			list = append(list, name)
		}
	}
	if len(list) > 1 {
		j.Notef("Approximated: objects are in turn in %d buckets, whose names follow from the first one.", len(list))
	}
	return list
}
