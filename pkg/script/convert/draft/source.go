package draft

import (
	"fmt"
	"strings"

	"warp/pkg/script"
)

// MaxText is the maximum length of a file, in bytes.
const MaxText = 4 << 20

// Source is a tool whose files or command lines can be read.
type Source struct {
	Name     string   // of --from
	Aliases  []string // other names of --from
	Title    string
	File     string   // what is read, for help
	Programs []string // names of its command, as in a shell script; none if it has only files
	Prints   string   // of analyze --format: what its command prints; empty: warp has no such format
	Secrets  []string // names of its options whose values are credentials, which no error shows
	Options  func() []Option

	Detect  func(text string) bool      // reports whether a file is one of this tool
	Read    func(d *Draft, text string) // drafts the scenario of a file
	Command func(d *Draft, c *Command)  // drafts the scenario of a command line; nil without Programs

	TemplateVariables func(text string) []string // nil unless files may be templates
}

// Option is an option, clause or key of a source.
type Option struct {
	Name    string
	Default string
	Became  string // what a scenario has in its place
}

// Rows makes options of rows: name, default, what a scenario has in its place.
func Rows(rows [][3]string) (list []Option) {
	for _, r := range rows {
		list = append(list, Option{r[0], r[1], r[2]})
	}
	return list
}

// Variables returns the variables of a file that is a template.
func (s *Source) Variables(text string) []string {
	if s.TemplateVariables == nil {
		return nil
	}
	return s.TemplateVariables(text)
}

// Given is what a file may use.
type Given struct {
	Vars     map[string]string                          // of templates
	ReadFile func(name string) (text string, err error) // reads a file that it names; nil: none
}

// Convert makes a job of a file. All mistakes in the file are one error.
func (s *Source) Convert(name, text string, given Given) (*Job, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%s: the file has %d bytes (want at most %d)", name, len(text), MaxText)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	d := s.draft(name, text)
	d.Given = given
	s.Read(d, text)
	return d.job()
}

// ConvertCommand makes a job of a command line. The name is that of the file with the command line, for errors.
func (s *Source) ConvertCommand(name string, c *Command) (*Job, error) {
	d := s.draft(name, c.Text)
	d.outer = c.At
	s.Command(d, c)
	return d.job()
}

// Enter has all places be in another file, which the command line names and which holds the rest of the job.
func (d *Draft) Enter(name, text string) {
	d.source, d.outer = script.NewSource(name, text), script.Pos{}
	d.source.Hide(d.secrets...)
}

func (s *Source) draft(name, text string) *Draft {
	d := &Draft{name: name, secrets: s.Secrets}
	d.Enter(name, text)
	d.Warp = script.Text(script.Version)
	d.Notef("Converted from %s.", s.File)
	return d
}
