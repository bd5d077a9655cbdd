// Package convert reads files of other benchmark tools and makes scenarios of them. What is approximated has a comment; what
// would mislead is an error.
package convert

import (
	"regexp"

	"warp/internal/option"
)

// sources lists the tools in the order of trial.
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
