package convert

import (
	"errors"
	"flag"
	"io"
	"path"
	"slices"
	"strings"

	"warp/pkg/script"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// commandLine finds the command line of a program in a shell script, and expands it as a shell does: quotes, braces, arithmetic, and
// variables that the script sets. Others become variables of the scenario. A file that begins with an option holds options only.
func commandLine(text, program string, errs *Problems) (args []string) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "-") {
		text = program + " " + strings.TrimLeft(text, " \t\r\n")
	}
	c := &commands{program: program, vars: environment{}, errs: errs}
	c.script(text, 0)
	switch {
	case len(errs.list) > 0:
		return nil
	case len(c.found) == 0:
		errs.Addf(script.Pos{}, "there is no command line of %s", program)
		return nil
	case len(c.found) > 1:
		errs.Addf(c.places[1], "a second command line of %s (want one in a file)", program)
		return nil
	}
	return c.found[0]
}

// runsProgram reports whether a text is a shell script that runs a program.
func runsProgram(text, program string) bool {
	if !strings.Contains(text, program) {
		return false
	}
	c := &commands{program: program, vars: environment{}, errs: &Problems{}}
	c.script(text, 0)
	return len(c.found) > 0 || c.named
}

// commands collects the command lines of a program in a shell script.
type commands struct {
	program string
	vars    environment
	errs    *Problems
	found   [][]string // arguments
	places  []script.Pos
	named   bool // a command names the program, which may not be expanded
}

// script walks a script; depth counts scripts within a quoted argument, as in ssh HOST "COMMAND".
func (c *commands) script(text string, depth int) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		var parse syntax.ParseError
		if errors.As(err, &parse) {
			c.errs.Addf(positionOf(parse.Pos), "%s", parse.Text)
			return
		}
		c.errs.Addf(script.Pos{}, "%w", err)
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			c.call(call, depth)
		}
		return len(c.errs.list) == 0
	})
}

func positionOf(p syntax.Pos) script.Pos {
	return script.Pos{Line: int(p.Line()), Column: int(p.Col())}
}

// call looks at one command.
func (c *commands) call(call *syntax.CallExpr, depth int) {
	cfg := &expand.Config{Env: c.vars}
	for _, a := range call.Assigns {
		if a.Name == nil || a.Value == nil {
			continue
		}
		if value, err := expand.Literal(cfg, a.Value); err == nil {
			c.vars[a.Name.Value] = value
		}
	}
	if len(call.Args) == 0 {
		return
	}
	args, err := fieldsOf(cfg, call.Args)
	if i := slices.IndexFunc(args, c.isProgram); i >= 0 {
		c.named = true
		if err != nil {
			c.errs.Addf(positionOf(call.Pos()), "%w; write what it stands for", err)
			return
		}
		c.found, c.places = append(c.found, args[i+1:]), append(c.places, positionOf(call.Pos()))
		return
	}
	for _, a := range args {
		if depth == 0 && strings.Contains(a, c.program) && strings.ContainsAny(a, " \n") {
			c.script(a, depth+1)
		}
	}
}

// environment is the variables of a script. An unknown one stays as it is, for the scenario to expand.
type environment map[string]string

// Get implements expand.Environ.
func (e environment) Get(name string) expand.Variable {
	value, ok := e[name]
	switch {
	case name == "IFS":
		return expand.Variable{}
	case !ok:
		value = "${" + name + "}"
	}
	return expand.Variable{Set: true, Exported: true, Kind: expand.String, Str: value}
}

// Each implements expand.Environ.
func (e environment) Each(func(string, expand.Variable) bool) {}

// fieldsOf expands words. After an error it returns those before it too.
func fieldsOf(cfg *expand.Config, words []*syntax.Word) (args []string, err error) {
	for _, w := range words {
		fields, failed := expand.Fields(cfg, w)
		var command expand.UnexpectedCommandError
		switch {
		case errors.As(failed, &command):
			err = errors.New("the output of a command is not known")
		case failed != nil:
			err = failed
		}
		args = append(args, fields...)
	}
	return args, err
}

func (c *commands) isProgram(word string) bool {
	return path.Base(word) == c.program || strings.TrimSuffix(path.Base(word), ".exe") == c.program
}

// parseFlags parses arguments as the package flag does, with which these tools are written, and returns which flags were set.
func parseFlags(fs *flag.FlagSet, args []string, errs *Problems) map[string]bool {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	if err := fs.Parse(args); err != nil {
		errs.Addf(script.Pos{}, "%w", err)
	}
	if fs.NArg() > 0 && len(errs.list) == 0 {
		errs.Addf(script.Pos{}, "unexpected argument %q", fs.Arg(0))
	}
	set := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return set
}

// flagOptions returns the flags of a tool; their usage says what became of them.
func flagOptions(fs *flag.FlagSet) (list []Option) {
	fs.VisitAll(func(f *flag.Flag) { list = append(list, Option{"-" + f.Name, f.DefValue, f.Usage}) })
	return list
}
