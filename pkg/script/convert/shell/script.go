// Package shell reads and runs shell scripts of other tools' users: each command line of a known tool is a run of warp, in the order of
// the shell. Nothing else is executed: what is usually computed on the way, such as $(date) or $(seq 8), is computed here.
package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
)

// Script is a shell script.
type Script struct {
	name    string // for errors
	text    string
	secrets []string // options whose values errors do not show
}

// Parse parses a script. The name is that of its file, or what stands for it in errors, which do not show the values of secret options.
func Parse(name, text string, secrets ...string) (*Script, error) {
	sc := &Script{name, text, secrets}
	if _, err := parse(text); err != nil {
		return nil, sc.mistakes([]script.Complaint{*err})
	}
	return sc, nil
}

// Parallel reports whether the script runs commands in the background.
func (s *Script) Parallel() (found bool) {
	file, _ := parse(s.text)
	syntax.Walk(file, func(n syntax.Node) bool {
		st, ok := n.(*syntax.Stmt)
		found = found || ok && st.Background
		return !found
	})
	return found
}

// parse parses a text as a shell does.
func parse(text string) (*syntax.File, *script.Complaint) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	var parse syntax.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, &script.Complaint{Pos: positionOf(parse.Pos), Text: parse.Text}
	case err != nil:
		return nil, &script.Complaint{Text: err.Error()}
	}
	return file, nil
}

func positionOf(p syntax.Pos) script.Pos {
	return script.Pos{Line: int(p.Line()), Column: int(p.Col())}
}

// IsScript reports whether a text says that it is a shell script: its first line names a shell.
func IsScript(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	return ok && slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return slices.Contains(shells, path.Base(word)) })
}

// Runs reports whether a text is a shell script with a command line of one of some programs.
func Runs(text string, programs ...string) bool {
	if !mentions(text, programs) {
		return false
	}
	file, wrong := parse(text)
	return wrong == nil && runs(file, func(name string) bool { return slices.Contains(programs, name) }, 0)
}

// mentions reports whether a text has the name of a program as a word. It is much cheaper than parsing a large file.
func mentions(text string, programs []string) bool {
	if strings.Contains(text, ".jar") {
		return true
	}
	for _, p := range programs {
		for at := 0; ; {
			i := strings.Index(text[at:], p)
			if i < 0 {
				break
			}
			before, behind := text[:at+i], strings.TrimPrefix(text[at+i+len(p):], ".exe")
			if at += i + len(p); (before == "" || strings.ContainsAny(before[len(before)-1:], around+"/")) &&
				(behind == "" || strings.ContainsAny(behind[:1], around)) {
				return true
			}
		}
	}
	return false
}

// around are the characters that a program's name may stand between.
const around = " \t\r\n;&|()<>\"'`\\"

// runs looks for a command line; depth counts scripts within an argument, as in ssh HOST "COMMAND".
func runs(file *syntax.File, known func(program string) bool, depth int) (found bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || found {
			return !found
		}
		wrapped := len(call.Args) > 0 && follows(programName(call.Args[0].Lit()))
		for i, w := range call.Args {
			text := staticText(w)
			if name := programName(text); (i == 0 || wrapped) && (known(name) || name == "java" && known(javaTool)) {
				found = true
			}
			if inner, wrong := parse(text); wrapped && depth == 0 && strings.ContainsAny(text, " \n") && wrong == nil {
				found = found || runs(inner, known, depth+1)
			}
		}
		return !found
	})
	return found
}

// staticText returns what a word says without its substitutions.
func staticText(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DblQuoted:
			for _, p := range n.Parts {
				if lit, ok := p.(*syntax.Lit); ok {
					b.WriteString(unescape.Replace(lit.Value))
				}
			}
			return false
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
			return false
		}
		return true
	})
	return b.String()
}

// unescape makes of what stands in double quotes what it says.
var unescape = strings.NewReplacer(`\\`, `\`, `\$`, `$`, `\"`, `"`, "\\`", "`", "\\\n", "")

// programName returns the name of a program, as in /opt/elbencho/elbencho or warp.exe.
func programName(word string) string { return strings.TrimSuffix(path.Base(word), ".exe") }
