// Package fio reads job files and command lines of fio with its engine for S3.
package fio

import (
	"regexp"
	"slices"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "fio", Title: "fio", File: "a job file of fio",
	Programs:          []string{"fio"},
	Options:           func() []draft.Option { return options },
	Detect:            func(text string) bool { return engine.MatchString(text) || shell.Runs(text, "fio") },
	Read:              read,
	Command:           readCommand,
	TemplateVariables: variablesOf,
	Secrets: []string{
		"http_s3_keyid", "http_s3_key", "http_s3_security_token", "http_s3_sse_customer_key", "http_pass", "http_swift_auth_token",
	},
}

// engine is the line of a job file that names the engine.
var engine = regexp.MustCompile(`(?m)^[ \t]*ioengine[ \t]*=[ \t]*http[ \t]*\r?$`)

// section is the beginning of a job in a file; a command line has none.
var sectionLine = regexp.MustCompile(`(?m)^[ \t]*\[[^\]\n]+\][ \t]*\r?$`)

func read(d *draft.Draft, text string) {
	if !sectionLine.MatchString(text) {
		shell.Read(d, text, "fio", readCommand)
		return
	}
	p := &parser{Draft: d, getenv: func(name string) string { return d.Vars[name] }}
	p.file(text, false)
	p.convert()
}

// variablesOf returns the variables of a job file, which --var sets.
func variablesOf(text string) (names []string) {
	if !sectionLine.MatchString(text) {
		return nil
	}
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(append(names, bucketVariable))
}

// convert makes the scenario of jobs.
func (p *parser) convert() {
	if len(p.List) > 0 {
		return
	}
	if len(p.jobs) == 0 {
		p.Addf(script.Pos{}, "there is no job (want [NAME] and its options)")
		return
	}
	s := &scenario{Draft: p.Draft, named: p.getenv(bucketVariable)}
	for _, sec := range p.jobs {
		if w := s.work(sec); w != nil {
			s.works = append(s.works, w)
		}
	}
	if len(s.List) > 0 {
		return
	}
	s.target()
	groups := s.groups()
	s.sets()
	for _, group := range groups {
		s.group(group)
	}
	s.Notef("Approximated: the engine of fio takes a missing object for zeros when it reads it; here that is an error.")
	s.Notef("A job of fio ends at its first error; here errors are counted.")
}
