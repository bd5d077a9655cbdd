package minio

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"warp/pkg/script/convert/draft"
)

// Limits of a template in addition to MaxText: a few lines can double a text forty times, or go on for ever and write nothing.
const (
	maxActions = 10_000  // in its text
	maxSteps   = 100_000 // nodes that are executed
	maxNested  = 100     // templates in templates
)

// counting is the execution of a template that counts what it does.
type counting struct {
	steps, depth int
	made         int   // bytes of the texts that functions made
	err          error // the limit that was reached
}

// Functions that count. A file cannot call them: they are unknown when it is parsed.
const (
	stepsFunction = "warpSteps"
	enterFunction = "warpEnter"
	leaveFunction = "warpLeave"
)

// execute executes a template within the limits.
func execute(t *template.Template, to io.Writer, vars map[string]string) error {
	var c counting
	functions := template.FuncMap{
		stepsFunction: c.step,
		enterFunction: c.enter,
		leaveFunction: c.leave,
		"print":       c.limit(fmt.Sprint),
		"println":     c.limit(fmt.Sprintln),
		"html":        c.limit(template.HTMLEscaper),
		"js":          c.limit(template.JSEscaper),
		"urlquery":    c.limit(template.URLQueryEscaper),
		"printf":      c.printf,
	}
	call := func(text string) parse.Node {
		return template.Must(template.New("").Funcs(functions).Parse("{{" + text + "}}")).Root.Nodes[0]
	}
	for _, one := range t.Templates() {
		for _, list := range listsOf(one.Root) {
			list.Nodes = slices.Concat([]parse.Node{call(fmt.Sprint(stepsFunction, " ", stepsOf(list)))}, list.Nodes)
		}
		one.Root.Nodes = slices.Concat([]parse.Node{call(enterFunction)}, one.Root.Nodes, []parse.Node{call(leaveFunction)})
	}
	err := t.Funcs(functions).Execute(to, vars)
	if c.err != nil {
		return c.err
	}
	return err
}

// listsOf returns all lists of nodes at and below one. The nodes of a list are executed one after the other.
func listsOf(root *parse.ListNode) (lists []*parse.ListNode) {
	walkTemplate(root, func(n parse.Node) {
		if list, ok := n.(*parse.ListNode); ok {
			lists = append(lists, list)
		}
	})
	return lists
}

// stepsOf returns the number of nodes of a list, without the lists below it.
func stepsOf(list *parse.ListNode) (n int) {
	count := func(parse.Node) { n++ }
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.IfNode:
			walkTemplate(node.Pipe, count)
		case *parse.WithNode:
			walkTemplate(node.Pipe, count)
		case *parse.RangeNode:
			walkTemplate(node.Pipe, count)
		default:
			walkTemplate(node, count)
		}
	}
	return n + 1
}

// fail ends the execution.
func (c *counting) fail(format string, args ...any) error {
	c.err = fmt.Errorf(format, args...)
	return c.err
}

// step counts the nodes of a list that is executed.
func (c *counting) step(nodes int) (string, error) {
	if c.steps += nodes; c.steps > maxSteps {
		return "", c.fail("it takes more than %d steps", maxSteps)
	}
	return "", nil
}

// enter counts a template in others.
func (c *counting) enter() (string, error) {
	if c.depth++; c.depth > maxNested {
		return "", c.fail("templates are nested more than %d times", maxNested)
	}
	return "", nil
}

func (c *counting) leave() string {
	c.depth--
	return ""
}

// longest is the maximum number of bytes that an escape makes of one.
const longest = 12

// limit returns a function that makes a text of its arguments within the limit.
func (c *counting) limit(text func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		n := 0
		for _, arg := range args {
			n += len(fmt.Sprint(arg)) + 1
		}
		if n > draft.MaxText/longest {
			return "", c.fail("it makes a text of %d bytes (want at most %d)", n, draft.MaxText/longest)
		}
		return c.keep(text(args...))
	}
}

// wide is a width, or a precision, of more than three digits, or one that an argument states.
var wide = regexp.MustCompile(`%[^%a-zA-Z]*([1-9]\d{3}|\*)`)

// printf is fmt.Sprintf within the limit. A verb may use any argument.
func (c *counting) printf(format string, args ...any) (string, error) {
	if wide.MatchString(format) {
		return "", c.fail("printf %.40q: a width of more than 999", format)
	}
	highest := 1000
	for _, arg := range args {
		highest = max(highest, len(fmt.Sprint(arg)))
	}
	if n := len(format) + strings.Count(format, "%")*highest; n > draft.MaxText/longest {
		return "", c.fail("it may make a text of %d bytes (want at most %d)", n, draft.MaxText/longest)
	}
	return c.keep(fmt.Sprintf(format, args...))
}

// keep counts a text that a function made.
func (c *counting) keep(text string) (string, error) {
	if c.made += len(text); c.made > draft.MaxText {
		return "", c.fail("it makes texts of more than %d bytes in all", draft.MaxText)
	}
	return text, nil
}
