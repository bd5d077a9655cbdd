package scenarios

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/script"
	"warp/pkg/script/convert"
	"warp/pkg/script/convert/draft"
)

// statements is the name of --script in errors, as that of a file.
const statements = "--script"

// Foreign reads files of other tools.
type Foreign struct {
	from string // tool; empty: the one that is recognized
	text string // statements of object-store-bench, instead of a file

	variables []string // that the files have
}

// Flags are those that name a tool, and give statements.
func (f *Foreign) Flags() []cli.Flag {
	return []cli.Flag{
		&flags.Choice{Values: convert.Names, StringFlag: cli.StringFlag{
			Name:        "from",
			Destination: &f.from,
			Usage:       "`TOOL` tool the file belongs to, as in fio",
			DefaultText: "what the file says",
		}},
		&cli.StringFlag{Name: "script", Destination: &f.text, Usage: "`STATEMENTS` statements of object-store-bench, instead of a file"},
	}
}

// Names returns the names of the files; statements are one of them.
func (f *Foreign) Names(files []string) ([]string, error) {
	switch {
	case f.text == "":
		return files, nil
	case len(files) > 0:
		return nil, process.UsageErrors(option.Errorf("script", "not with a file"))
	}
	return []string{statements}, nil
}

// Read returns the text of a file or the statements, and the name in errors.
func (f *Foreign) Read(e *process.Env, name string) (shown, text string, err error) {
	if name == statements {
		return name, f.text, nil
	}
	shown, data, err := ReadText(e, name)
	return shown, string(data), err
}

// Source returns the tool whose file this is; nil if none is recognized.
func (f *Foreign) Source(text string) (*draft.Source, error) {
	switch {
	case f.from != "":
		return convert.Lookup(f.from)
	case f.text != "":
		return convert.Lookup("object-store-bench")
	}
	source, _ := convert.Detect(text)
	return source, nil
}

// ReadText returns the text of a file, and its name in errors; - is standard input.
func ReadText(e *process.Env, name string) (shown string, text []byte, err error) {
	if name == "-" {
		text, err = input.ReadFrom(e.Stdin, "standard input", draft.MaxText)
		return "standard input", text, err
	}
	text, err = input.Read(name, draft.MaxText)
	return name, text, err
}

// parse reads a scenario, or a file of another tool as what it asks for.
func (f *Foreign) parse(name, text string, given draft.Given) (*draft.Job, error) {
	source, err := f.Source(text)
	if err != nil {
		return nil, err
	}
	if source == nil && !mapping.MatchString(text) && strings.TrimSpace(text) != "" {
		return nil, process.UsageError("%s: neither a scenario nor the file of a known tool; name the tool with --from", name)
	}
	if source == nil {
		file, err := script.Parse(name, []byte(text))
		if err == nil {
			f.variables = append(f.variables, file.Variables()...)
		}
		return &draft.Job{File: file}, err
	}
	return f.Convert(source, name, text, given)
}

// usedBy is what a file of another tool may use: variables, and files as allowed.
func usedBy(e *process.Env, allowed *Allowance, name string, variables map[string]string) draft.Given {
	uses := NewAccess(name, allowed, variables, e, nil)
	uses.foreign()
	return draft.Given{Vars: variables, ReadFile: func(name string) (string, error) {
		path, err := uses.read(name)
		if err != nil {
			return "", err
		}
		text, err := input.Read(path, draft.MaxText)
		return string(text), err
	}}
}

// ConvertFile is Convert for a file that may use what is below the current directory.
func (f *Foreign) ConvertFile(e *process.Env, source *draft.Source, name, text string, variables map[string]string) (*draft.Job, error) {
	return f.Convert(source, name, text, usedBy(e, &Allowance{}, name, variables))
}

// Convert makes a job of the file of another tool.
func (f *Foreign) Convert(source *draft.Source, name, text string, given draft.Given) (*draft.Job, error) {
	f.variables = append(f.variables, source.Variables(text)...)
	job, err := source.Convert(name, text, given)
	if err != nil {
		return nil, err
	}
	f.variables = append(f.variables, job.Variables()...)
	return job, nil
}

// mapping matches what may be a mapping of YAML: a line with a key, or a brace.
var mapping = regexp.MustCompile(`(?m)^[ \t]*([\w"'-]+[ \t]*:([ \t\r]|$)|\{|- )`)

// CheckVariables returns an error for each variable that is set and in no file.
func (f *Foreign) CheckVariables(flag string, set map[string]string, files ...string) (errs []error) {
	known := slices.Compact(slices.Sorted(slices.Values(f.variables)))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if slices.Contains(known, name) {
			continue
		}
		hint := "it has none"
		switch near := option.Nearest(name, known); {
		case near != "":
			hint = "did you mean " + near + "?"
		case len(known) > 0:
			hint = "want " + option.List(known...)
		}
		errs = append(errs, option.Errorf(flag, "no variable %s in %s (%s)", name, strings.Join(files, ", "), hint))
	}
	return errs
}

// VariablesOf returns variables by name.
func VariablesOf(flag string, texts []string) (map[string]string, error) {
	list, err := flags.Pairs(flag, texts, func(a, b string) bool { return a == b })
	variables := map[string]string{}
	for _, p := range list {
		variables[p.Key] = p.Value
	}
	return variables, err
}
