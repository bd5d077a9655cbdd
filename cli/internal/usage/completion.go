package usage

import (
	"embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
)

// completeFlag is the last argument with which the script of a shell asks what may stand in place of the one before it.
const completeFlag = "--generate-shell-completion"

// offerFiles is the line that has the shell offer names of files.
const offerFiles = ":files"

// Shells are the shells that there are scripts for.
var Shells = []string{"bash", "zsh", "fish", "pwsh"}

//go:embed completions
var scripts embed.FS

// CompletionScript returns the script for a shell.
func CompletionScript(shell string) string {
	text, _ := scripts.ReadFile("completions/" + shell)
	return string(text)
}

// Unfinished returns the words of a command line that a shell wants to be completed; the last one is incomplete, and may be empty.
func Unfinished(args []string) (words []string, asked bool) {
	last := len(args) - 1
	if last < 1 || args[last] != completeFlag {
		return nil, false
	}
	if last == 1 {
		return []string{""}, true
	}
	return args[1:last], true
}

// Complete returns what may stand in place of the last word: lines of a candidate, a tab and what it means, or offerFiles.
func Complete(root *cli.Command, words []string) string {
	c := &completion{root: root, command: root}
	before, current := words[:len(words)-1], words[len(words)-1]
	for _, word := range before {
		c.read(word)
	}
	switch name, value, hasValue := strings.Cut(current, "="); {
	case c.flag != nil:
		c.values(c.flag, "", current)
	case c.arguments:
		c.argument()
	case hasValue && strings.HasPrefix(name, "-"):
		if f := c.named(name); f != nil {
			c.values(f, name+"=", value)
		}
	case strings.HasPrefix(current, "-"):
		c.flags()
	default:
		c.argument()
	}
	return c.matching(current)
}

// completion is a command line that was read up to the word to complete.
type completion struct {
	root      *cli.Command
	command   *cli.Command // that the words name
	flag      cli.Flag     // that the next word is the value of
	arguments bool         // only they follow
	topic     bool         // an argument of help was a topic
	lines     [][2]string
}

// read takes a word before the last one.
func (c *completion) read(word string) {
	switch {
	case c.flag != nil:
		c.flag = nil
	case c.arguments:
	case word == "--":
		c.arguments = true
	case strings.HasPrefix(word, "-"):
		name, _, hasValue := strings.Cut(word, "=")
		if f := c.named(name); f != nil && !hasValue && needsValue(f) {
			c.flag = f
		}
	case len(c.command.Commands) > 0:
		if sub := c.command.Command(word); sub != nil {
			c.command = sub
		}
	case c.command.Name == helpName:
		c.readTopic(word)
	}
}

// helpName is the name of the command that explains others.
const helpName = "help"

// readTopic takes a word behind help: a command with others below it, or the last word.
func (c *completion) readTopic(word string) {
	if sub := c.root.Command(word); sub != nil && len(sub.Commands) > 0 {
		c.command = &cli.Command{Commands: sub.Commands}
		return
	}
	c.topic = true
}

// named returns the flag of a word such as --host, or nil.
func (c *completion) named(word string) cli.Flag {
	return flags.Named(c.command.Flags, strings.TrimLeft(word, "-"))
}

// needsValue reports whether the next word is the value of a flag.
func needsValue(f any) bool {
	g, generic := f.(*cli.GenericFlag)
	if generic {
		b, ok := g.Value.(interface{ IsBoolFlag() bool })
		return !ok || !b.IsBoolFlag()
	}
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// add offers a word.
func (c *completion) add(word, text string) { c.lines = append(c.lines, [2]string{word, text}) }

// flags offers the flags of the command, as they are in its help.
func (c *completion) flags() {
	for _, f := range shown(c.command.Flags) {
		word := "--" + f.Names()[0]
		if needsValue(f) {
			word += "="
		}
		_, text := FlagText(f)
		c.add(word, strings.ReplaceAll(text, noBreak, " "))
	}
	c.add("--help", "explain the command, and list all its flags")
}

// values offers the values of a flag: those that it takes, or examples of the topic about it. prefix is what stands before the value.
func (c *completion) values(f cli.Flag, prefix, value string) {
	list, several := flags.Values(f)
	if several {
		i := strings.LastIndexByte(value, ',') + 1
		given := strings.Split(value[:i], ",")
		list = slices.DeleteFunc(slices.Clone(list), func(v string) bool { return slices.Contains(given, v) })
		prefix += value[:i]
	}
	for _, v := range list {
		c.add(prefix+v, "")
	}
	h, ok := f.(HelpFlag)
	if list != nil || !ok {
		return
	}
	if t, ok := topicOf(h); ok && t.Values {
		for _, form := range t.Forms {
			c.add(prefix+form[0], form[1])
		}
	}
	name, _ := FlagText(h)
	if _, metavariable, _ := strings.Cut(name, " "); strings.HasPrefix(metavariable, "FILE") {
		c.add(offerFiles, "")
	}
}

// topicOf returns the topic that the text about a flag names.
func topicOf(f HelpFlag) (Topic, bool) {
	_, after, _ := strings.Cut(f.GetUsage(), "\"warp help ")
	name, _, _ := strings.Cut(after, "\"")
	return FindTopic(name)
}

// argument offers commands, topics and files.
func (c *completion) argument() {
	commands := c.command.Commands
	if c.command.Name == helpName {
		if c.topic {
			return
		}
		commands = c.root.Commands
		for _, t := range Topics {
			c.add(t.Name, t.Title)
		}
	}
	for _, sub := range commands {
		if !sub.Hidden {
			c.add(sub.Name, sub.Usage)
		}
	}
	for _, word := range []string{"FILE", "RECORDING", "BEFORE"} {
		if strings.Contains(c.command.ArgsUsage, word) {
			c.add(offerFiles, "")
			return
		}
	}
}

// matching returns the lines whose words begin with the current one, in any case.
func (c *completion) matching(current string) string {
	var b strings.Builder
	for _, line := range c.lines {
		switch word := line[0]; {
		case word == offerFiles:
			b.WriteString(word + "\n")
		case len(word) >= len(current) && strings.EqualFold(word[:len(current)], current):
			b.WriteString(word + "\t" + line[1] + "\n")
		}
	}
	return b.String()
}
