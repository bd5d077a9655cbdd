// Package convert reads files of other benchmark tools and makes scenarios of them. What is approximated has a comment; what
// would mislead is an error.
package convert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"warp/internal/option"
	"warp/pkg/script"
)

// Source is a tool whose files can be read.
type Source struct {
	Name    string // of --from
	Title   string
	File    string // what is read, for help
	Options func() []Option

	detect  func(text string) bool
	convert func(d *draft, text string)
}

// Option is an option, clause or key of a source.
type Option struct {
	Name    string
	Default string
	Became  string // what a scenario has in its place
}

// sources lists the tools. The order is that in which a file is tried.
var sources = []*Source{&warpSource, &gosbenchSource, &cosbenchSource, &hsbenchSource, &s3benchSource, &ycsbSource, &osbSource}

// Sources returns the tools whose files can be read.
func Sources() []*Source { return sources }

// Names returns their names.
func Names() (names []string) {
	for _, s := range sources {
		names = append(names, s.Name)
	}
	return names
}

// Lookup returns the tool of a name.
func Lookup(name string) (*Source, error) {
	for _, s := range sources {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, option.Invalid("from", name, option.List(Names()...))
}

// scenario is the first key of a scenario.
var scenario = regexp.MustCompile(`(?m)^["']?warp["']?:[ \t]*[^ \t\r\n#{]`)

// Detect returns the tool whose file this is; false for a scenario, and for what is not recognized.
func Detect(text string) (*Source, bool) {
	if scenario.MatchString(text) {
		return nil, false
	}
	for _, s := range sources {
		if s.detect(text) {
			return s, true
		}
	}
	return nil, false
}

// MaxText is how many bytes a file may have.
const MaxText = 4 << 20

// Variables returns the variables that a file uses as a template.
func (s *Source) Variables(text string) []string {
	if s != &warpSource {
		return nil
	}
	return templateVariables(text)
}

// Convert makes a scenario of a file. All mistakes in the file are one error. vars are the variables of templates, which one tool has.
func (s *Source) Convert(name, text string, vars map[string]string) (*script.File, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%s: the file has %d bytes (want at most %d)", name, len(text), MaxText)
	}
	d := &draft{problems: problems{name: name}, vars: vars}
	d.Warp = script.Text(script.Version)
	d.notef("Converted from %s.", s.File)
	s.convert(d, strings.TrimPrefix(text, "\ufeff"))
	if len(d.list) == 0 && len(d.Phases) == 0 {
		d.addf(script.Pos{}, "nothing is measured")
	}
	if len(d.list) > 0 {
		return nil, errors.Join(d.list...)
	}
	return &d.File, nil
}
