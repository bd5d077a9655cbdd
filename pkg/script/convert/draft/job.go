package draft

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"warp/pkg/script"
)

// Job is what a file or a command line of another tool asks for.
type Job struct {
	Name    string // of the file, in messages; empty for a scenario
	File    *script.File
	Flags   []Flag   // of warp run: what a scenario can't hold
	Outputs []Output // result files in the tool's own format

	source *script.Source
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
	Format string // of analyze --format; empty: the report of warp
	JSON   bool   // its JSON
	Path   string // - is standard output
	Append bool   // to a file that exists
	At     script.Pos
}

// job returns the result, or all mistakes.
func (d *Draft) job() (*Job, error) {
	if len(d.List) == 0 && len(d.Phases) == 0 {
		d.Addf(script.Pos{}, "nothing is measured")
	}
	if len(d.List) == 0 && !utf8.ValidString(d.Format()) {
		d.Addf(script.Pos{}, "names or values are not UTF-8")
	}
	if len(d.List) > 0 {
		return nil, d.source.Error(d.List...)
	}
	for i := range d.Data { // as all of these tools do, run after run
		if set := &d.Data[i]; !set.Keys.IsZero() && set.Existing.IsZero() {
			set.OverwriteKept = Yes()
		}
	}
	if err := d.Drafted(d.source, d.outer); err != nil {
		return nil, err
	}
	return &Job{d.name, &d.File, d.flags, d.results, d.source}, nil
}

// Flag sets a flag of warp run, which no scenario has. A conversion says so in a comment.
func (d *Draft) Flag(at script.Pos, name, value string) {
	d.flags = append(d.flags, Flag{Name: name, Value: value, At: at})
}

// Secret sets a credential for this run. It is in no scenario, and in no output. One that is empty is not there.
func (d *Draft) Secret(at script.Pos, name, value string) {
	if value != "" {
		d.flags = append(d.flags, Flag{Name: name, Value: value, At: at, Secret: true})
	}
}

// Output has a result file written at the end of the run.
func (d *Draft) Output(o Output) { d.results = append(d.results, o) }

// Foreign reports whether the file is one of another tool, not a scenario.
func (j *Job) Foreign() bool { return j.source != nil }

// Variables returns the names of the variables in the job.
func (j *Job) Variables() []string {
	names := j.File.Variables()
	for _, f := range j.Flags {
		names = append(names, script.VariablesIn(f.Value)...)
	}
	for _, o := range j.Outputs {
		names = append(names, script.VariablesIn(o.Path)...)
	}
	return names
}

// Expand returns what a text of the file says with its variables.
func (j *Job) Expand(at script.Pos, text string, variables func(name string) (value string, ok bool, err error)) (string, error) {
	return j.source.Expand(script.Text(text).At(at), variables)
}

// Error returns a mistake in what the file says at a place.
func (j *Job) Error(at script.Pos, err error) error {
	return j.source.Error(script.Complaint{Pos: at, Text: err.Error()})
}

// secretNote is the comment about credentials in the file.
func secretNote(flag string) string {
	switch flag {
	case "access-key", "secret-key", "session-token":
		return "Credentials are never in a scenario: set WARP_ACCESS_KEY and WARP_SECRET_KEY, or use --access-key and --secret-key."
	}
	variable := "WARP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	return fmt.Sprintf("Credentials are never in a scenario: set %s, or use --%s.", variable, flag)
}

// Conversion returns the scenario with comments that say what of the job it lacks.
func (j *Job) Conversion() *script.File {
	for _, f := range j.Flags {
		if f.Secret {
			AddNote(&j.File.Head, "%s", secretNote(f.Name))
		} else {
			AddNote(&j.File.Head, "A flag of warp run, which no scenario has: --%s=%s", f.Name, shown(f.Name, f.Value))
		}
	}
	for _, o := range j.Outputs {
		command := "warp analyze"
		if o.Format != "" {
			command += " --format=" + o.Format
		}
		if o.JSON {
			command += " --json"
		}
		if o.Path == "-" {
			AddNote(&j.File.Head, "A run of this file prints its result at the end; a scenario does not: %s", command)
			continue
		}
		AddNote(&j.File.Head, "A run of this file writes %s at the end; a scenario does not: %s", o.Path, command)
	}
	return j.File
}
