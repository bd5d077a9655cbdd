package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"warp/pkg/script"
)

// rewriter readies a script to be interpreted: plain variables get a mark as their default value, loops count their rounds, and what the
// interpreter would do by itself with this machine is taken out.
type rewriter struct {
	s        *session
	u        *unit
	assigned map[string]bool // names that the script sets somewhere
	kept     map[syntax.Node]bool
}

// rewrite readies a file, and returns it with its calls.
func (s *session) rewrite(u *unit, file *syntax.File) {
	r := &rewriter{s: s, u: u, assigned: map[string]bool{}, kept: map[syntax.Node]bool{}}
	syntax.Walk(file, r.collect)
	syntax.Walk(file, r.change)
	waitAtEnd(&file.Stmts)
}

// own are variables that a shell sets by itself.
var own = []string{
	"HOME", "PWD", "OLDPWD", "HOSTNAME", "RANDOM", "SRANDOM", "SECONDS", "IFS", "OPTARG", "OPTIND", "UID", "EUID", "GID", "PPID", "REPLY",
	"BASH_SOURCE", "LINENO", "FUNCNAME", "BASH_VERSION", "PIPESTATUS", "DIRSTACK",
}

// collect notes which names have a value, and which tests are about whether one has.
func (r *rewriter) collect(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		r.assign(n.Name)
	case *syntax.WordIter:
		r.assign(n.Name)
	case *syntax.BinaryArithm:
		if w, ok := n.X.(*syntax.Word); ok && n.Op.String()[len(n.Op.String())-1] == '=' {
			r.assigned[w.Lit()] = true
		}
	case *syntax.UnaryArithm:
		if w, ok := n.X.(*syntax.Word); ok {
			r.assigned[w.Lit()] = true
		}
	case *syntax.ParamExp:
		if n.Param != nil {
			r.s.uses(n.Param.Value)
		}
		if n.Exp != nil && slices.Contains([]syntax.ParExpOperator{syntax.AssignUnset, syntax.AssignUnsetOrNull}, n.Exp.Op) {
			r.assign(n.Param)
		}
	case *syntax.TestClause:
		r.keep(n)
	case *syntax.CaseClause:
		r.keep(n.Word)
	case *syntax.CallExpr:
		r.call(n)
	case *syntax.Redirect:
		if n.Word != nil && r.u.redirections != nil {
			r.u.redirections[staticText(n.Word)] = r.u.place(n.Pos())
		}
	}
	return true
}

func (r *rewriter) assign(name *syntax.Lit) {
	if name != nil {
		r.assigned[name.Value] = true
	}
}

// keep leaves the variables of a test as they are: one without a value is empty.
func (r *rewriter) keep(test syntax.Node) {
	syntax.Walk(test, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.CmdSubst); ok {
			return false
		}
		r.kept[n] = true
		return true
	})
}

// setters are builtins whose arguments are names that they set.
var setters = []string{"read", "getopts", "mapfile", "readarray", "printf", "let", "unset"}

// call notes the place of a call, and the names that it sets.
func (r *rewriter) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	r.u.calls[c.Args[0].Pos()] = c
	name := c.Args[0].Lit()
	if name == "[" || name == "test" {
		r.keep(c)
	}
	if slices.Contains(setters, name) {
		for _, a := range c.Args[1:] {
			r.assigned[a.Lit()] = true
		}
	}
}

// change changes a node.
func (r *rewriter) change(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Word:
		r.parts(n.Parts)
	case *syntax.DblQuoted:
		r.parts(n.Parts)
	case *syntax.ParamExp:
		r.param(n)
	case *syntax.Stmt:
		n.Redirs = slices.DeleteFunc(n.Redirs, r.leavesOut)
	case *syntax.WhileClause:
		n.Do = append([]*syntax.Stmt{statement(":")}, n.Do...)
	case *syntax.ForClause:
		n.Do = append([]*syntax.Stmt{statement(":")}, n.Do...)
		if loop, ok := n.Loop.(*syntax.CStyleLoop); ok {
			r.known(loop)
		}
	case *syntax.ArithmCmd:
		r.known(n)
	case *syntax.Subshell:
		waitAtEnd(&n.Stmts)
	case *syntax.CmdSubst:
		waitAtEnd(&n.Stmts)
	}
	return true
}

// statement is a command of words.
func statement(words ...string) *syntax.Stmt {
	c := &syntax.CallExpr{}
	for _, w := range words {
		c.Args = append(c.Args, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: w}}})
	}
	return &syntax.Stmt{Cmd: c}
}

// waitAtEnd has commands in the background awaited that are still under way: a shell would leave them.
func waitAtEnd(list *[]*syntax.Stmt) {
	if slices.ContainsFunc(*list, func(st *syntax.Stmt) bool { return st.Background }) {
		*list = append(*list, statement("wait"))
	}
}

// leavesOut reports whether a redirection is taken out: its output goes where it went before.
func (r *rewriter) leavesOut(rd *syntax.Redirect) bool {
	for _, p := range wordParts(rd.Word) {
		if ps, ok := p.(*syntax.ProcSubst); ok && ps.Op == syntax.CmdOut {
			r.s.leaveOut(r.u.place(rd.Pos()), "> "+r.u.source(ps))
			return true
		}
	}
	return false
}

func wordParts(w *syntax.Word) []syntax.WordPart {
	if w == nil {
		return nil
	}
	return w.Parts
}

// braces is a range of numbers that the shell expands.
var braces = regexp.MustCompile(`\{(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}`)

// parts changes the parts of a word that have no value.
func (r *rewriter) parts(list []syntax.WordPart) {
	for i, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			for _, m := range braces.FindAllStringSubmatch(p.Value, -1) {
				from, err1 := strconv.Atoi(m[1])
				to, err2 := strconv.Atoi(m[2])
				if err1 != nil || err2 != nil || max(from, to)-min(from, to) > maxRange {
					r.s.complain(r.u.place(p.Pos()), "%s has too many words (want at most %d)", m[0], maxRange)
					p.Value = "{}"
				}
			}
		case *syntax.ProcSubst:
			list[i] = r.mark(p.Pos(), unknown{output: r.u.source(p)})
		case *syntax.ArithmExp:
			if name := r.missing(p); name != "" {
				list[i] = r.mark(p.Pos(), unknown{variable: name})
			}
		case *syntax.ParamExp:
			if name := r.missing(p); !isPlain(p) && name != "" && !r.kept[p] && !hasDefault(p) {
				list[i] = r.mark(p.Pos(), unknown{variable: name})
			}
		}
	}
}

// mark is the text of an unknown value.
func (r *rewriter) mark(at syntax.Pos, v unknown) *syntax.Lit {
	v.at = r.u.place(at)
	v.secret = r.s.secret(v.variable)
	return &syntax.Lit{ValuePos: at, ValueEnd: at, Value: r.s.unknowns.mark(v)}
}

// isPlain reports whether an expansion is that of a whole variable.
func isPlain(p *syntax.ParamExp) bool {
	return p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && p.Names == 0 && !p.Excl && !p.Length && p.Param != nil
}

// hasDefault reports whether an expansion says what holds for a variable without a value.
func hasDefault(p *syntax.ParamExp) bool {
	return p.Exp != nil && slices.Contains([]syntax.ParExpOperator{
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset,
		syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
	}, p.Exp.Op) || p.Names != 0 || p.Excl
}

// param gives a plain variable a mark as its value if it has none when it is expanded.
func (r *rewriter) param(p *syntax.ParamExp) {
	if !isPlain(p) || r.kept[p] {
		return
	}
	name := p.Param.Value
	if !syntax.ValidName(name) && (name < "1" || name > "99") {
		return // as $@ and $?
	}
	p.Short = false
	p.Exp = &syntax.Expansion{Op: syntax.DefaultUnset, Word: &syntax.Word{Parts: []syntax.WordPart{r.mark(p.Pos(), unknown{variable: name})}}}
}

// missing returns the name of a variable in an expansion that has no value anywhere in the script; empty without one.
func (r *rewriter) missing(n syntax.Node) (name string) {
	patterns := map[*syntax.Word]bool{} // words that are text, not names
	syntax.Walk(n, func(n syntax.Node) bool {
		var used string
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.ParamExp:
			if n.Param != nil && !hasDefault(n) {
				used = n.Param.Value
			}
			if n.Exp != nil {
				patterns[n.Exp.Word] = true
			}
			if n.Repl != nil {
				patterns[n.Repl.Orig], patterns[n.Repl.With] = true, true
			}
		case *syntax.Word:
			if !patterns[n] {
				used = n.Lit()
			}
		}
		if syntax.ValidName(used) {
			r.s.uses(used)
		}
		if syntax.ValidName(used) && !r.assigned[used] && (!slices.Contains(own, used) || r.s.Keep && used == "HOSTNAME") && name == "" {
			if _, ok := r.s.variable(used); !ok {
				name = used
			}
		}
		return true
	})
	return name
}

// known complains about control that depends on an unknown variable.
func (r *rewriter) known(n syntax.Node) {
	if name := r.missing(n); name != "" {
		r.s.missing(r.u.place(n.Pos()), name)
	}
}

// unit is a text that is interpreted: the script, or one within it.
type unit struct {
	text         string
	calls        map[syntax.Pos]*syntax.CallExpr // by the places of their first words
	outer        script.Pos                      // where the text begins in the script; zero: it is the script
	redirections map[string]script.Pos           // places of files, by name
	mu           sync.Mutex
	inclusion    script.Pos
	elsewhere    bool // the text is another file's: all of it has the place outer
}

// includes notes the place of a command that interprets another text within this one.
func (u *unit) includes(at script.Pos) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.inclusion = at
}

// included returns the last of these places.
func (u *unit) included() script.Pos {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.inclusion
}

// place returns a place in the script.
func (u *unit) place(p syntax.Pos) script.Pos {
	at := positionOf(p)
	switch {
	case u.outer.IsZero() || !p.IsValid():
		return at
	case u.elsewhere:
		return u.outer
	case at.Line == 1:
		at.Column += u.outer.Column - 1
	}
	at.Line += u.outer.Line - 1
	return at
}

// source returns the text of a node.
func (u *unit) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if to > uint(len(u.text)) || from > to {
		return fmt.Sprintf("%T", n)
	}
	return u.text[from:to]
}

// redirection returns the place of a redirection to a file; zero if its name is not written as it is.
func (u *unit) redirection(name string) script.Pos { return u.redirections[name] }
