package minio

import (
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// expandTemplate expands the template of a file. Without variables it is taken as it is, as in the original.
func expandTemplate(d *draft.Draft, text string) string {
	if len(d.Vars) == 0 {
		return text
	}
	t, err := parseTemplate(text)
	if err == nil {
		b := limited{left: draft.MaxText}
		if err = execute(t, &b, d.Vars); err == nil {
			return b.String()
		}
	}
	d.Addf(script.Pos{}, "template: %w", err)
	return ""
}

// parseTemplate parses the template of a file.
func parseTemplate(text string) (*template.Template, error) {
	if n := strings.Count(text, "{{"); n > maxActions {
		return nil, fmt.Errorf("it has %d actions (want at most %d)", n, maxActions)
	}
	return template.New("file").Option("missingkey=error").Parse(text)
}

// templateVariables returns the variables that a template uses, and all texts in it that may be names of some.
func templateVariables(text string) (names []string) {
	t, err := parseTemplate(text)
	if err != nil {
		return nil
	}
	for _, one := range t.Templates() {
		walkTemplate(one.Root, func(n parse.Node) {
			switch n := n.(type) {
			case *parse.FieldNode:
				names = append(names, n.Ident[0])
			case *parse.VariableNode: // $.NAME
				names = append(names, n.Ident[1:]...)
			case *parse.StringNode: // index . "NAME"
				names = append(names, n.Text)
			}
		})
	}
	return names
}

// walkTemplate calls visit for each node below n.
func walkTemplate(n parse.Node, visit func(parse.Node)) {
	branch := func(b *parse.BranchNode) {
		walkTemplate(b.Pipe, visit)
		walkTemplate(b.List, visit)
		if b.ElseList != nil {
			walkTemplate(b.ElseList, visit)
		}
	}
	visit(n)
	switch n := n.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			walkTemplate(child, visit)
		}
	case *parse.ActionNode:
		walkTemplate(n.Pipe, visit)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			walkTemplate(c, visit)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			walkTemplate(arg, visit)
		}
	case *parse.ChainNode:
		walkTemplate(n.Node, visit)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			walkTemplate(n.Pipe, visit)
		}
	}
}

// limited is a text that has a maximum length.
type limited struct {
	strings.Builder
	left int
}

// Write adds to the text.
func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, fmt.Errorf("it becomes longer than %d bytes", draft.MaxText)
	}
	return l.Builder.Write(b)
}
