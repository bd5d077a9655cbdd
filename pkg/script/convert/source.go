package convert

import (
	"errors"
	"fmt"
	"strings"

	"warp/pkg/script"
)

// MaxText is the maximum length of a file, in bytes.
const MaxText = 4 << 20

// Source is a tool whose files can be read.
type Source struct {
	Name    string // of --from
	Title   string
	File    string // what is read, for help
	Options func() []Option

	detect    func(text string) bool
	convert   func(d *Draft, text string)
	variables func(text string) []string // nil unless files may be templates
}

// Option is an option, clause or key of a source.
type Option struct {
	Name    string
	Default string
	Became  string // what a scenario has in its place
}

// Variables returns the variables of a file that is a template.
func (s *Source) Variables(text string) []string {
	if s.variables == nil {
		return nil
	}
	return s.variables(text)
}

// Convert makes a scenario of a file. All mistakes in the file are one error. vars are the variables of templates, which one tool has.
func (s *Source) Convert(name, text string, vars map[string]string) (*script.File, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%s: the file has %d bytes (want at most %d)", name, len(text), MaxText)
	}
	d := &Draft{Problems: Problems{name: name}, vars: vars}
	d.Warp = script.Text(script.Version)
	d.Notef("Converted from %s.", s.File)
	s.convert(d, strings.TrimPrefix(text, "\ufeff"))
	if len(d.list) == 0 && len(d.Phases) == 0 {
		d.Addf(script.Pos{}, "nothing is measured")
	}
	if len(d.list) > 0 {
		return nil, errors.Join(d.list...)
	}
	return &d.File, nil
}
