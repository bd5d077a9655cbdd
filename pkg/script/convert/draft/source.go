package draft

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

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

// Job is what a file or a command line of another tool asks for.
type Job struct {
	File    *script.File
	Flags   []Flag   // of warp run: what a scenario can't hold
	Outputs []Output // result files in the tool's own format
}

// Flag is a flag of warp run that a file sets. The command line of warp has precedence.
type Flag struct {
	Name   string
	Value  string
	At     script.Pos
	Secret bool // a credential, for this run only
}

// Output is a result file in the format of another tool.
type Output struct {
	Format string // of analyze --format
	JSON   bool   // its JSON
	Path   string // - is standard output
	Append bool   // to a file that exists
}

// Variables returns the variables of a file that is a template.
func (s *Source) Variables(text string) []string {
	if s.TemplateVariables == nil {
		return nil
	}
	return s.TemplateVariables(text)
}

// Convert makes a job of a file. All mistakes in the file are one error. vars are the variables of templates, which one tool has.
func (s *Source) Convert(name, text string, vars map[string]string) (*Job, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%s: the file has %d bytes (want at most %d)", name, len(text), MaxText)
	}
	d := s.draft(name)
	d.Vars = vars
	if i := strings.IndexFunc(text, isControl); i >= 0 {
		d.Addf(script.Pos{Line: strings.Count(text[:i], "\n") + 1}, "a control character (want a text)")
		return d.job()
	}
	s.Read(d, strings.TrimPrefix(text, "\ufeff"))
	return d.job()
}

// isControl reports whether a character is in no text.
func isControl(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\v\f\r", r) }

// ConvertCommand makes a job of a command line. The name is that of the file with the command line, for errors.
func (s *Source) ConvertCommand(name string, c *Command) (*Job, error) {
	d := s.draft(name)
	s.Command(d, c)
	return d.job()
}

func (s *Source) draft(name string) *Draft {
	d := &Draft{Problems: Problems{name: name}}
	d.Warp = script.Text(script.Version)
	d.Notef("Converted from %s.", s.File)
	return d
}

// job returns the result, or all mistakes.
func (d *Draft) job() (*Job, error) {
	if len(d.List) == 0 && len(d.Phases) == 0 {
		d.Addf(script.Pos{}, "nothing is measured")
	}
	if len(d.List) > 0 {
		return nil, errors.Join(d.List...)
	}
	for i := range d.Data { // as all of these tools do, run after run
		if set := &d.Data[i]; !set.Keys.IsZero() && set.Existing.IsZero() {
			set.OverwriteKept = Yes()
		}
	}
	return &Job{&d.File, d.flags, d.results}, nil
}

// Flag sets a flag of warp run, which no scenario has. A conversion says so in a comment.
func (d *Draft) Flag(at script.Pos, name, value string) {
	d.flags = append(d.flags, Flag{Name: name, Value: value, At: at})
}

// Secret sets a credential for this run. It is in no scenario, and in no output.
func (d *Draft) Secret(at script.Pos, name, value string) {
	d.flags = append(d.flags, Flag{Name: name, Value: value, At: at, Secret: true})
	d.Notef(KeysNote)
}

// Output has a result file written at the end of the run.
func (d *Draft) Output(o Output) { d.results = append(d.results, o) }
