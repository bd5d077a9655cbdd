// Package elbencho reads configuration files and command lines of elbencho that measure S3.
package elbencho

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	Secrets:  []string{"s3key", "s3secret", "s3sessiontoken", "s3sseckey", "s3credlist"},
}

var (
	line   = regexp.MustCompile(`^[ \t]*([a-z0-9]+)[ \t]*=`)
	s3Line = regexp.MustCompile(`(?m)^[ \t]*(s3endpoints|s3key)[ \t]*=`)
	phase  = regexp.MustCompile(`(?m)^[ \t]*(write|read)[ \t]*=`)
	amount = regexp.MustCompile(`(?m)^[ \t]*(threads|files)[ \t]*=`)
)

// isFile reports whether a text has lines of key=value alone, with keys of elbencho.
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
		shell.Read(d, text, "elbencho", readCommand)
		return
	}
	j := &job{Draft: d, values: draft.Settings{}}
	j.file(text, script.Pos{})
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
			j.file(text, j.at("configfile"))
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
	if slices.ContainsFunc(objectPhases, j.on) {
		r.dataSet()
	}
	r.iterations()
	for _, option := range []string{"resfile", "jsonfile"} {
		if path := j.text(option); path != "" {
			j.Output(draft.Output{Path: path, JSON: option == "jsonfile", Append: true, At: j.at(option)})
			j.Notef("%s: the report in the file is warp's.", option)
		}
	}
	if !j.on("s3ignoreerrors") {
		j.Notef("The first error ends a run of elbencho; here errors are counted.")
	}
}

// objectPhases are the options of phases that need objects.
var objectPhases = []string{"write", "s3otag", "stat", "s3listobj", "s3listobjpar", "read", "s3multidel", "delfiles"}

// target says which store is measured.
func (j *job) target(r *run) {
	for _, host := range names(j.text("s3endpoints")) {
		j.SetHosts(j.at("s3endpoints"), host)
	}
	j.Target.Pos = j.at("s3endpoints")
	param := func(option, name, value string) {
		p := script.NewParam(name, value)
		p.Values[0].Pos = j.at(option)
		j.Target.Params = append(j.Target.Params, p)
	}
	if len(j.Target.Hosts) > 1 {
		param("s3endpoints", "host-select", "roundrobin")
		draft.AddNote(&j.Target.Head, "Approximated: in the original a thread keeps to one endpoint; here requests go to hosts in turn.")
	}
	if len(r.buckets) > 0 {
		j.Target.Bucket = script.Text(j.bucketTemplate(r.buckets)).At(j.paths[0].At)
	}
	if region := j.text("s3region"); region != "" {
		j.Target.Region = script.Text(region).At(j.at("s3region"))
	}
	param("s3virtaddr", "lookup", map[bool]string{false: "path", true: "host"}[j.on("s3virtaddr")])
	switch sign := j.text("s3sign"); sign {
	case "0":
	case "1", "2":
		param("s3sign", "payload", map[string]string{"1": "signed", "2": "unsigned"}[sign])
	default:
		j.Addf(j.at("s3sign"), "s3sign: invalid value %q (want 0, 1 or 2)", sign)
	}
	if algorithm := j.text("s3chksumalgo"); !draft.IsOff(algorithm) {
		param("s3chksumalgo", "checksum", strings.ToUpper(algorithm))
	}
	if j.on("s3sse") {
		param("s3sse", "sse-s3", "true")
	}
	if key := j.text("s3ssekmskey"); key != "" {
		param("s3ssekmskey", "sse-kms", key)
	}
	if j.text("s3sseckey") != "" {
		param("s3sseckey", "encrypt", "true")
		draft.AddNote(&j.Target.Head, "Approximated: s3sseckey: keys are random, and are in no file.")
	}
	for _, c := range [][2]string{{"s3key", "access-key"}, {"s3secret", "secret-key"}, {"s3sessiontoken", "session-token"}} {
		if value, ok := j.values[c[0]]; ok {
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
		names := []string{p.Text}
		if !j.on("nopathexp") {
			names = expand(p.Text)
		}
		for _, name := range names {
			name = strings.Trim(strings.TrimPrefix(name, "s3://"), "/")
			if name == "" || strings.Contains(name, "/") {
				j.Addf(p.At, "%q: invalid bucket (want BUCKET or s3://BUCKET; names begin with s3objprefix)", p.Text)
				return nil
			}
			list = append(list, name)
		}
	}
	return list
}

var numbered = regexp.MustCompile(`^(.*?)([0-9]+)([^0-9]*)$`)

// bucketTemplate returns the name of one bucket, or the template of names with numbers that follow one another.
func (j *job) bucketTemplate(list []string) string {
	m := numbered.FindStringSubmatch(list[0])
	if len(list) == 1 || m == nil {
		j.oneBucket(list)
		return list[0]
	}
	first, _ := strconv.Atoi(m[2])
	for i, name := range list {
		if name != m[1]+fmt.Sprintf("%0*d", len(m[2]), first+i)+m[3] {
			j.oneBucket(list)
			return list[0]
		}
	}
	number := "b"
	if first > 0 {
		number += fmt.Sprintf("+%d", first)
	}
	if len(m[2]) > 1 {
		number += fmt.Sprintf(":%02d", len(m[2]))
	}
	j.Notef("Approximated: objects are in the buckets in turn; in the original by the number of thread and directory.")
	return m[1] + "{" + number + "}" + m[3]
}

// oneBucket complains about several buckets that no template names.
func (j *job) oneBucket(list []string) {
	if len(list) > 1 {
		j.Addf(j.paths[1%len(j.paths)].At, "buckets %s and %s: no template has these names (want numbers that follow one another, as in b[1-4])",
			list[0], list[1])
	}
}
