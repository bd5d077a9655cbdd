package process

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"warp/internal/option"
)

// Notice prints a line for people, once.
func (e *Env) Notice(text string) {
	if e.noticed[text] {
		return
	}
	if e.noticed == nil {
		e.noticed = map[string]bool{}
	}
	e.noticed[text] = true
	fmt.Fprintln(e.Stderr, text)
}

// Line checks a text that becomes part of a header, and trims it with a notice. The source is where it comes from: a flag, a variable,
// a file.
func (e *Env) Line(source string, text *string) error {
	clean, trimmed, err := option.Line(*text)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if *text = clean; trimmed {
		e.Notice(option.TrimmedText(source))
	}
	return nil
}

// Empty reports whether a variable is set, to nothing.
func (e *Env) Empty(name string) bool {
	return e.Environ != nil && slices.Contains(e.Environ(), name+"=")
}

// kubernetesVariable matches the variables that Kubernetes sets in pods for services named warp...
var kubernetesVariable = regexp.MustCompile(`^WARP(_[A-Z0-9]+)*_(SERVICE_(HOST|PORT)|PORT)(_[A-Z0-9_]+)?$`)

// ReadVariable returns a variable that a scenario names.
func (e *Env) ReadVariable(name string) string {
	if e.read == nil {
		e.read = map[string]bool{}
	}
	e.read[name] = true
	return e.Getenv(name)
}

// otherVariables are variables of warp that set no flag.
var otherVariables = []string{"WARP_TOKEN", "WARP_HTTP_TOKEN"}

// versionVariable is often set in images of containers, for the scripts that make them.
const versionVariable = "WARP_VERSION"

// WarnUnread tells of variables that were probably meant for warp, and that nothing reads: no flag of any command, and no scenario.
func (e *Env) WarnUnread() {
	if e.Environ == nil {
		return
	}
	var unread []string
	for _, v := range e.Environ() {
		name, _, _ := strings.Cut(v, "=")
		foreign := !strings.HasPrefix(name, variablePrefix) || strings.HasPrefix(name, "WARP_TEST_") || kubernetesVariable.MatchString(name)
		if !foreign && !e.read[name] && !e.bound[name] && name != versionVariable && !slices.Contains(otherVariables, name) {
			unread = append(unread, name)
		}
	}
	if len(unread) == 0 || e.Commands == nil {
		return
	}
	slices.Sort(unread)
	known, excluded := e.variables() // which takes longer than most commands run
	var ends []string
	for _, name := range known {
		ends = append(ends, strings.TrimPrefix(name, variablePrefix))
	}
	terminal := e.Getenv("TERM_PROGRAM") == "WarpTerminal" // which sets variables of this prefix for its own shells
	for _, name := range unread {
		near := DidYouMean(variablePrefix+"%s", strings.TrimPrefix(name, variablePrefix), ends)
		switch {
		case slices.Contains(known, name):
		case excluded[name] != "":
			e.Notice("The variable " + name + " has no effect: --" + excluded[name] + " is for the command line only.")
		case near != "" || !terminal:
			e.Notice("The variable " + name + " has no effect" + near + ".")
		}
	}
}

// variables returns the variables of all commands, and the flags of those that count on the command line only.
func (e *Env) variables() (known []string, excluded map[string]string) {
	known, excluded = slices.Clone(otherVariables), map[string]string{}
	commands := e.Commands()
	for len(commands) > 0 {
		c := commands[0]
		commands = append(commands[1:], c.Commands...)
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				if onlyOnCommandLine(f) {
					excluded[VariableOf(name)] = name
				}
			}
			for _, source := range sourcesOf(f).Chain {
				if v, ok := source.(*variable); ok {
					known = append(known, v.name)
				}
			}
		}
	}
	return known, excluded
}
