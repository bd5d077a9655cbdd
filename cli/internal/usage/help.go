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

// Help is laid out here and not by templates of the parser's library: it fills paragraphs, and keeps what a flag is called,
// what it does, its default and its variable apart.

// HelpWidth is the longest line of help, in characters.
const HelpWidth = 100

// nameColumn is where the text about a command begins.
const nameColumn = 17

// flagColumn is where the text about a flag begins; a longer flag has a line of its own.
const flagColumn = 28

// rootHelp is the help of warp itself.
func rootHelp(root *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "warp - %s\n\nUsage: warp COMMAND [flags]\n\n", root.Usage)
	if embedded.Built {
		b.WriteString(wrap("With no --host, warp starts a real S3 server on this machine and measures that. To see it work:", 0))
		b.WriteString("\n  warp get --duration=5s --obj.size=1MiB --objects=100\n")
	} else {
		b.WriteString(wrap("This warp was built without the embedded S3 server (-tags noembed): benchmarks need --host.", 0))
	}
	const others = "Other commands"
	for _, heading := range []string{flags.CatBenchmarks, others} {
		b.WriteString("\n" + heading + ":\n")
		for _, c := range root.Commands {
			if !c.Hidden && cmp.Or(c.Category, others) == heading {
				entry(&b, c.Name, c.Usage, nameColumn)
			}
		}
	}
	b.WriteString("\nTopics:\n")
	for _, t := range Topics {
		entry(&b, t.Name, t.Title, nameColumn)
	}
	b.WriteString("\n\"warp COMMAND --help\" explains a command and lists all its flags, \"warp help TOPIC\" a topic.\n")
	return b.String()
}

func init() {
	cli.HelpPrinter = func(w io.Writer, _ string, data any) {
		_, _ = io.WriteString(w, help(data.(*cli.Command)))
	}
}

// help is the help of a command.
func help(c *cli.Command) string {
	if c == c.Root() {
		return rootHelp(c)
	}
	return commandHelp(c)
}

// pathOf is what is typed for a command after warp.
func pathOf(c *cli.Command) string { return strings.TrimPrefix(c.FullName(), c.Root().Name+" ") }

func commandHelp(c *cli.Command) string {
	var b strings.Builder
	path := pathOf(c)
	fmt.Fprintf(&b, "warp %s - %s\n\nUsage: warp %s", path, c.Usage, path)
	own := slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { // not only the library's --help
		h, ok := f.(HelpFlag)
		return ok && h.GetCategory() != ""
	})
	if own {
		b.WriteString(" [flags]")
	}
	if c.ArgsUsage != "" {
		b.WriteString(" " + c.ArgsUsage)
	}
	b.WriteString("\n")
	if c.Description != "" {
		b.WriteString("\n" + wrap(c.Description, 0))
	}
	if c.UsageText != "" {
		b.WriteString("\nExample:\n  " + c.UsageText + "\n")
	}
	if len(c.Commands) > 0 {
		b.WriteString("\nCommands:\n")
	}
	for _, sub := range c.Commands {
		entry(&b, sub.Name, sub.Usage, nameColumn)
	}
	for _, category := range flags.Categories {
		flagsHelp(&b, category, c.Flags)
	}
	if own {
		b.WriteString("\nEach flag can be set by a variable: --host by WARP_HOST (see \"warp help environment\").\n")
		b.WriteString("\nExit status:\n")
		for _, s := range statusOf(c) {
			entry(&b, s.Code, s.Meaning, 7)
		}
	}
	return b.String()
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

// flagsHelp writes the flags of a category in order of their names.
func flagsHelp(b *strings.Builder, category string, flags []cli.Flag) {
	of := visible(category, flags)
	if len(of) == 0 {
		return
	}
	b.WriteString("\n" + category + ":\n")
	for _, f := range of {
		name, text := FlagText(f)
		entry(b, name, text, flagColumn)
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
func entry(b *strings.Builder, name, text string, column int) {
	line := "  " + name
	if utf8.RuneCountInString(line) > column-2 {
		b.WriteString(line + "\n")
		line = ""
	}
	filled := wrap(text, column)
	b.WriteString(line + filled[utf8.RuneCountInString(line):])
}

// noBreak is a blank at which no line is broken.
const noBreak = "\u00a0"

// wrap breaks a text into indented lines of at most HelpWidth. Line breaks in it end a line.
func wrap(text string, indent int) string {
	blanks := strings.Repeat(" ", indent)
	filled := strings.ReplaceAll(terminal.Fold(text, HelpWidth-indent), noBreak, " ")
	return blanks + strings.ReplaceAll(filled, "\n", "\n"+blanks) + "\n"
}

// dashed is a flag as it is typed: a letter with one dash, a word with two.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// visible returns the flags of a category that help shows, in order of their names.
func visible(category string, flags []cli.Flag) (list []HelpFlag) {
	for _, f := range flags {
		if f, ok := f.(HelpFlag); ok && f.IsVisible() && f.GetCategory() == category {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b HelpFlag) int { return cmp.Compare(a.Names()[0], b.Names()[0]) })
	return list
}
