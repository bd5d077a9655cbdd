package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/script"
	"warp/pkg/script/convert"
)

// statements is the name of --script in errors, as that of a file.
const statements = "--script"

// foreign reads files of other tools.
type foreign struct {
	from string // tool; empty: the one that is recognized
	text string // statements of object-store-bench, instead of a file
}

// flags are those that name a tool, and give statements.
func (f *foreign) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Destination: &f.from, Usage: "`TOOL` tool that the file is of: " + option.List(convert.Names()...), DefaultText: "what the file says"},
		&cli.StringFlag{Name: "script", Destination: &f.text, Usage: "`STATEMENTS` statements of object-store-bench, instead of a file"},
	}
}

// names returns the names of the files; statements are one of them.
func (f *foreign) names(files []string) ([]string, error) {
	switch {
	case f.text == "":
		return files, nil
	case len(files) > 0:
		return nil, usageErrors(option.Errorf("script", "not with a file"))
	}
	return []string{statements}, nil
}

// read returns the text of a file or the statements, and the name in errors.
func (f *foreign) read(e *Env, name string) (shown, text string, err error) {
	if name == statements {
		return name, f.text, nil
	}
	shown, data, err := readText(e, name)
	return shown, string(data), err
}

// source returns the tool whose file this is; nil if none is recognized.
func (f *foreign) source(text string) (*convert.Source, error) {
	switch {
	case f.from != "":
		return convert.Lookup(f.from)
	case f.text != "":
		return convert.Lookup("object-store-bench")
	}
	source, _ := convert.Detect(text)
	return source, nil
}

// readText returns the text of a file, and its name in errors; - is standard input.
func readText(e *Env, name string) (shown string, text []byte, err error) {
	if name == "-" {
		text, err = io.ReadAll(e.Stdin)
		return "standard input", text, err
	}
	text, err = os.ReadFile(name)
	return name, text, err
}

// parse reads a scenario, or a file of another tool as the scenario that it stands for. The comments of the conversion go to notes.
func (f *foreign) parse(name, text string, variables map[string]string, notes io.Writer) (*script.File, error) {
	source, err := f.source(text)
	if err != nil {
		return nil, err
	}
	if source == nil {
		return script.Parse(name, []byte(text))
	}
	file, err := source.Convert(name, text, variables)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(notes, "%s: %s\n", name, strings.Join(file.Comments(), "\n  ")); err != nil {
		return nil, err
	}
	return script.Parse(name+" (converted)", []byte(file.Format()))
}

// variablesOf returns variables by name.
func variablesOf(flag string, texts []string) (map[string]string, error) {
	list, err := pairs(flag, texts, func(a, b string) bool { return a == b })
	variables := map[string]string{}
	for _, p := range list {
		variables[p.key] = p.value
	}
	return variables, err
}
