// Package convert reads files of other benchmark tools and makes scenarios of them. What is approximated has a comment; what
// would mislead is an error.
package convert

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/script/convert/cosbench"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/elbencho"
	"warp/pkg/script/convert/fio"
	"warp/pkg/script/convert/gosbench"
	"warp/pkg/script/convert/hsbench"
	"warp/pkg/script/convert/minio"
	"warp/pkg/script/convert/osb"
	"warp/pkg/script/convert/s3bench"
	"warp/pkg/script/convert/sai3"
	"warp/pkg/script/convert/shell"
	"warp/pkg/script/convert/ycsb"
)

// sources lists the tools in the order of trial.
var sources = []*draft.Source{
	&minio.Source, &gosbench.Source, &sai3.Source, &cosbench.Source, &fio.Source, &elbencho.Source, &hsbench.Source, &s3bench.Source,
	&ycsb.Source, &osb.Source,
}

// Sources returns the tools whose files can be read.
func Sources() []*draft.Source { return sources }

// Names returns their names.
func Names() (names []string) {
	for _, s := range sources {
		names = append(names, s.Name)
	}
	return names
}

// Lookup returns the tool of a name.
func Lookup(name string) (*draft.Source, error) {
	for _, s := range sources {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s, nil
		}
	}
	return nil, option.Invalid("from", name, option.List(Names()...))
}

// Program returns the tool of a command, as in a shell script.
func Program(name string) (*draft.Source, bool) {
	for _, s := range sources {
		if slices.Contains(s.Programs, name) {
			return s, true
		}
	}
	return nil, false
}

// RunsPrograms reports whether a text is a shell script with a command line of any of the tools, or of warp itself.
func RunsPrograms(text string) bool {
	if scenario.MatchString(firstLine(text)) { // though its comments may be command lines
		return false
	}
	programs := []string{"warp"}
	for _, s := range sources {
		programs = append(programs, s.Programs...)
	}
	return shell.Runs(text, programs...)
}

// firstLine returns the first line that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if l := strings.TrimSpace(line); l != "" && l != "---" && !strings.HasPrefix(l, "#") {
			return line
		}
	}
	return ""
}

// scenario is the first key of a scenario.
var scenario = regexp.MustCompile(`(?m)^["']?warp["']?:[ \t]*[^ \t\r\n#{]`)

// Detect returns the tool whose file this is; false for a scenario, and for what is not recognized.
func Detect(text string) (*draft.Source, bool) {
	if scenario.MatchString(text) {
		return nil, false
	}
	for _, s := range sources {
		if s.Detect(text) {
			return s, true
		}
	}
	return nil, false
}
