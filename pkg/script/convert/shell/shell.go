// Package shell finds the command lines of other tools in shell scripts.
package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Find finds the command line of a program in a shell script, and expands it as a shell does: quotes, braces, arithmetic, and
// variables that the script sets. Others become variables of the scenario. A file that begins with an option holds options only.
func Find(text, program string, errs *draft.Problems) *draft.Command {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "-") {
		text = program + " " + strings.TrimLeft(text, " \t\r\n")
	}
	c := &commands{program: program, vars: environment{}, errs: errs}
	c.script(text, 0)
	switch {
	case len(errs.List) > 0:
		return nil
	case len(c.found) == 0:
		errs.Addf(script.Pos{}, "there is no command line of %s", program)
		return nil
	case len(c.found) > 1:
		errs.Addf(c.found[1].At, "a second command line of %s (want one in a file)", program)
		return nil
	}
	return c.found[0]
}

// Runs reports whether a text is a shell script that runs a program.
func Runs(text, program string) bool {
	if !strings.Contains(text, program) {
		return false
	}
	c := &commands{program: program, vars: environment{}, errs: &draft.Problems{}}
	c.script(text, 0)
	return len(c.found) > 0 || c.named
}

// commands collects the command lines of a program in a shell script.
type commands struct {
	program string
	vars    environment
	errs    *draft.Problems
	found   []*draft.Command
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
		return len(c.errs.List) == 0
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
	args, err := wordsOf(cfg, call.Args)
	if i := slices.IndexFunc(args, c.isProgram); i >= 0 {
		c.named = true
		if err != nil {
			c.errs.Addf(positionOf(call.Pos()), "%w; write what it stands for", err)
			return
		}
		c.found = append(c.found, &draft.Command{Program: c.program, At: args[i].At, Args: args[i+1:], Getenv: c.vars.getenv})
		return
	}
	for _, a := range args {
		if depth == 0 && strings.Contains(a.Text, c.program) && strings.ContainsAny(a.Text, " \n") {
			c.script(a.Text, depth+1)
		}
	}
}

// environment is the variables of a script. An unknown one stays as it is, for the scenario to expand.
type environment map[string]string

// getenv returns a variable that the script sets.
func (e environment) getenv(name string) string { return e[name] }

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

// wordsOf expands words. After an error it returns those before it too.
func wordsOf(cfg *expand.Config, words []*syntax.Word) (args []draft.Word, err error) {
	for _, w := range words {
		fields, failed := expand.Fields(cfg, w)
		var command expand.UnexpectedCommandError
		switch {
		case errors.As(failed, &command):
			err = errors.New("the output of a command is not known")
		case failed != nil:
			err = failed
		}
		for _, text := range fields {
			args = append(args, draft.Word{Text: text, At: positionOf(w.Pos())})
		}
	}
	return args, err
}

func (c *commands) isProgram(word draft.Word) bool {
	return strings.TrimSuffix(path.Base(word.Text), ".exe") == c.program
}
