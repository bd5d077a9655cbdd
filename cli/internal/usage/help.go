// Package usage explains the command line: help, man pages, and errors of the parser.
package usage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/embedded"
	"warp/view/terminal"
)

// Help is laid out here and not by templates of the parser's library: it fills paragraphs to the width of the terminal, and keeps what
// a flag is called, what it does, its default and its variable apart.

// The narrowest and the widest help, in columns: longer lines are hard to read.
const (
	MinWidth = 50
	MaxWidth = 110
)

// nameColumn is where the text about a command begins.
const nameColumn = 17

// flagColumn is where the text about a flag begins; a longer flag has a line of its own.
const flagColumn = 26

// In less than narrow columns, texts begin below names, at narrowColumn.
const (
	narrow       = 70
	narrowColumn = 6
)

const environmentKey = "environment"

// WithEnvironment tells which process asks for help.
func WithEnvironment(e *process.Env) map[string]any { return map[string]any{environmentKey: e} }

// page is a page of help that is being written.
type page struct {
	strings.Builder
	width int  // of lines
	first bool // only the flags of a first run are asked for: -h
}

func newPage(root *cli.Command) *page {
	e, ok := root.Metadata[environmentKey].(*process.Env)
	if !ok { // a command line that is only parsed
		return &page{width: MinWidth}
	}
	return &page{width: min(max(e.Width(), MinWidth), MaxWidth), first: slices.Contains(e.Args, "-h")}
}

func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, data any) {
		c := data.(*cli.Command)
		p := newPage(c.Root())
		if c == c.Root() {
			p.root(c)
		} else {
			p.command(c)
		}
		_, _ = io.WriteString(w, p.String())
	}
}

// root writes the help of warp itself.
func (p *page) root(root *cli.Command) {
	fmt.Fprintf(p, "warp - %s\n\nUsage: warp COMMAND [flags]\n\n", root.Usage)
	if embedded.Built {
		p.fill("With no --host, warp starts a real S3 server on this machine and measures that. To see it work:", 0)
		p.WriteString("\n  warp get --duration=5s --obj.size=1MiB --objects=100\n")
	} else {
		p.fill("This warp was built without the embedded S3 server (-tags noembed): benchmarks need --host.", 0)
	}
	for _, g := range CommandGroups(root) {
		p.WriteString("\n" + g.Title + ":\n")
		for _, c := range g.Commands {
			p.entry(c.Name, c.Usage, nameColumn)
		}
	}
	p.WriteString("\nTopics:\n")
	for _, t := range Topics {
		p.entry(t.Name, t.Title, nameColumn)
	}
	p.WriteString("\n")
	p.fill("\"warp COMMAND -h\" prints the flags of a first run, \"warp COMMAND --help\" all of them, \"warp help TOPIC\" a topic.", 0)
}

// pathOf is what is typed for a command after warp.
func pathOf(c *cli.Command) string { return strings.TrimPrefix(c.FullName(), c.Root().Name+" ") }

// parentName is the name of the command that a command is below.
func parentName(c *cli.Command) string {
	path := strings.Fields(pathOf(c))
	if len(path) < 2 {
		return ""
	}
	return path[len(path)-2]
}

// command writes the help of a command.
func (p *page) command(c *cli.Command) {
	path := pathOf(c)
	p.fill(fmt.Sprintf("warp %s - %s", path, titleOf(c)), 0)
	all, first, shared := shown(c.Flags), First(c), shown(SharedFlags(c))
	usage := "Usage: warp " + path
	if len(all) > 0 {
		usage += " [flags]"
	}
	if c.ArgsUsage != "" {
		usage += " " + c.ArgsUsage
	}
	if len(shared) > 0 {
		usage += " [flags]"
	}
	p.WriteString("\n" + usage + "\n")
	if c.Description != "" {
		p.WriteString("\n")
		p.fill(c.Description, 0)
	}
	if c.UsageText != "" {
		p.WriteString("\nExample:\n  " + c.UsageText + "\n")
	}
	p.flags("Flags of all operations", shared)
	if len(c.Commands) > 0 {
		p.WriteString("\n" + cmp.Or(commandsTitle(c), "Commands") + ":\n")
	}
	for _, sub := range c.Commands {
		p.entry(sub.Name, sub.Usage, nameColumn)
	}
	if p.first && first != nil {
		p.flags("Flags of a first run", first)
		p.WriteString("\n")
		p.fill(fmt.Sprintf("%d more flags: \"warp %s --help\".", len(all)-len(first), path), 0)
		return
	}
	p.flags("Common", first)
	for _, category := range flags.Categories {
		p.flags(category, visible(category, c.Flags, first))
	}
	if len(all) > 0 {
		p.WriteString("\n")
		p.fill("Each flag can be set by a variable: --host by WARP_HOST (see \"warp help environment\").", 0)
		p.WriteString("\nExit status:\n")
		for _, s := range statusOf(c) {
			p.entry(s.Code, s.Meaning, 7)
		}
	}
}

// statusOf returns the exit status that a command can end with.
func statusOf(c *cli.Command) (list []process.Status) {
	for _, s := range process.ExitStatus {
		has := func(f cli.Flag) bool { return slices.Contains(f.Names(), s.Flag) }
		if s.Flag == "" || slices.ContainsFunc(c.Flags, has) {
			list = append(list, s)
		}
	}
	return list
}

// flags writes flags under a heading.
func (p *page) flags(heading string, list []HelpFlag) {
	if len(list) == 0 {
		return
	}
	p.WriteString("\n" + heading + ":\n")
	for _, f := range list {
		name, text := FlagText(f)
		if p.first {
			text, _, _ = strings.Cut(text, " [$")
		}
		p.entry(name, text, flagColumn)
	}
}

// HelpFlag is what help says about a flag.
type HelpFlag interface {
	cli.DocGenerationFlag
	cli.VisibleFlag
	GetCategory() string
	Names() []string
}

// FlagText returns a flag with its metavariable, and the text about it. The metavariable is in backquotes in the usage: at its
// beginning in capitals it is not a part of the text.
func FlagText(f HelpFlag) (name, text string) {
	name = "--" + f.Names()[0]
	for _, short := range f.Names()[1:] {
		name += ", " + dashed(short)
	}
	text = f.GetUsage()
	if before, rest, ok := strings.Cut(text, "`"); ok {
		word, after, _ := strings.Cut(rest, "`")
		name += " " + strings.ToUpper(word)
		if text = before + word + after; before == "" && word == strings.ToUpper(word) {
			text = strings.TrimPrefix(after, " ")
		}
	}
	text = strings.ReplaceAll(text, "(see \"warp help ", "(see"+noBreak+"\"warp"+noBreak+"help"+noBreak)
	if d := defaultOf(f); d != "" {
		text += " (default:" + noBreak + strings.ReplaceAll(d, " ", noBreak) + ")"
	}
	for _, v := range OtherVariables(f) {
		text += " [$" + v + "]"
	}
	return name, text
}

// OtherVariables returns the variables that set a flag, but for the one that is named like it.
func OtherVariables(f HelpFlag) []string {
	return slices.DeleteFunc(f.GetEnvVars(), func(v string) bool {
		return slices.ContainsFunc(f.Names(), func(name string) bool { return v == process.VariableOf(name) })
	})
}

// defaultOf is the default of a flag; empty if that is nothing, 0 or false.
func defaultOf(f HelpFlag) string {
	if d := f.GetDefaultText(); d != "" {
		return d
	}
	switch d := strings.Trim(f.GetValue(), `"`); d {
	case "0", "0s", "false":
		return ""
	default:
		return strings.TrimSuffix(d, "m0s") + strings.Repeat("m", strings.Count(d, "m0s")) // 5m, not 5m0s
	}
}

// entry writes a name, and a text next to it from a column on.
func (p *page) entry(name, text string, column int) {
	if p.width < narrow {
		column = min(column, narrowColumn)
	}
	line := "  " + name
	if utf8.RuneCountInString(line) > column-2 {
		p.WriteString(line + "\n")
		line = ""
	}
	folded := p.fold(text, column)
	p.WriteString(line + folded[utf8.RuneCountInString(line):])
}

// noBreak is a blank at which no line is broken.
const noBreak = "\u00a0"

// fill writes a text in lines of at most the width. Line breaks in it end a line.
func (p *page) fill(text string, indent int) { p.WriteString(p.fold(text, indent)) }

func (p *page) fold(text string, indent int) string {
	blanks := strings.Repeat(" ", indent)
	folded := strings.ReplaceAll(terminal.Fold(text, p.width-indent), noBreak, " ")
	return blanks + strings.ReplaceAll(folded, "\n", "\n"+blanks) + "\n"
}

// dashed is a flag as it is typed: a letter with one dash, a word with two.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// shown returns the flags that help shows.
func shown(flags []cli.Flag) (list []HelpFlag) {
	for _, f := range flags {
		if f, ok := f.(HelpFlag); ok && f.IsVisible() && f.GetCategory() != "" { // --help of the library has none
			list = append(list, f)
		}
	}
	return list
}

// visible returns the flags of a category that help shows, but for some, in order of their names.
func visible(category string, flags []cli.Flag, without []HelpFlag) (list []HelpFlag) {
	for _, f := range shown(flags) {
		if f.GetCategory() == category && !slices.Contains(without, f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b HelpFlag) int { return cmp.Compare(a.Names()[0], b.Names()[0]) })
	return list
}
