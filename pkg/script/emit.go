package script

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// Format returns the file as canonical YAML: keys in the order of the structs, what fits on a line in flow style.
func (f *File) Format() string {
	lines := commentLines("", f.Head)
	root := structNode(reflect.ValueOf(f).Elem())
	if root == nil {
		root = &node{kind: mapping}
	}
	for _, p := range root.pairs {
		if note := f.Sections[p.key]; note != nil {
			p.val.note = note
		}
		lines = append(lines, pairLines("", p)...)
	}
	lines = append(lines, commentLines("", f.Foot)...)
	return strings.Join(lines, "\n") + "\n"
}

// Comments returns the lines of all comments, in the order of Format.
func (f *File) Comments() (lines []string) {
	walkNotes(reflect.ValueOf(f).Elem(), func(n *Note) {
		for _, text := range []string{n.Head, n.Line} {
			if text != "" {
				lines = append(lines, strings.Split(text, "\n")...)
			}
		}
	})
	return lines
}

// width is the length that lines in flow style have at most.
const width = 110

// pairLines writes an entry of a mapping.
func pairLines(indent string, p pair) []string {
	key, head, behind := indent+quotedKey(p.key, false)+":", []string(nil), ""
	if p.val.note != nil {
		head, behind = commentLines(indent, p.val.note.Head), comments(p.val.note.Line)
	}
	if p.val.kind == empty {
		return append(head, key+behind)
	}
	if text, ok := oneLine(p.val, utf8.RuneCountInString(key)+1); ok {
		return append(head, key+" "+text+behind)
	}
	return append(append(head, key+behind), block(indent+"  ", p.val)...)
}

// comments returns a comment behind a line.
func comments(text string) string {
	if text == "" {
		return ""
	}
	return "  # " + strings.ReplaceAll(text, "\n", " ")
}

// block writes a mapping or a list in block style.
func block(indent string, n *node) (lines []string) {
	for _, p := range n.pairs {
		lines = append(lines, pairLines(indent, p)...)
	}
	for _, item := range n.items {
		lines = append(lines, itemLines(indent, item)...)
	}
	return lines
}

// itemLines writes an item of a list.
func itemLines(indent string, n *node) (lines []string) {
	behind := ""
	if n.note != nil {
		lines, behind = commentLines(indent, n.note.Head), comments(n.note.Line)
	}
	single := n.kind == mapping && len(n.pairs) == 1 && n.pairs[0].val.kind == scalar && !hasComments(n)
	if text, ok := oneLine(n, len(indent)+2); ok && !single {
		return append(lines, indent+"- "+text+behind)
	}
	if behind != "" && !roomForComment(n) {
		lines, behind = append(lines, commentLines(indent, strings.TrimPrefix(behind, "  # "))...), ""
	}
	inner := block(indent+"  ", n)
	for len(inner) > 0 && strings.HasPrefix(strings.TrimLeft(inner[0], " "), "#") { // a comment cannot follow the dash
		lines = append(lines, indent+strings.TrimLeft(inner[0], " "))
		inner = inner[1:]
	}
	inner[0] = indent + "- " + strings.TrimPrefix(inner[0], indent+"  ") + behind
	return append(lines, inner...)
}

// roomForComment reports whether the first line of a block can have a comment behind it.
func roomForComment(n *node) bool {
	if n.kind == list {
		return false
	}
	first := n.pairs[0].val
	return first.kind != list && first.kind != mapping && (first.note == nil || first.note.Line == "")
}

// oneLine returns a node in flow style, unless it is too long behind a number of characters, or holds comments.
func oneLine(n *node, column int) (string, bool) {
	if n.kind == scalar {
		return quoted(n.text, false), true
	}
	if n.always && len(n.pairs)+len(n.items) > 0 || hasBlock(n) || hasComments(n) {
		return "", false
	}
	text := flow(n)
	return text, column+utf8.RuneCountInString(text) <= width || len(n.pairs)+len(n.items) == 0
}

// each calls do for the nodes within a node.
func (n *node) each(do func(*node) bool) bool {
	for _, p := range n.pairs {
		if do(p.val) {
			return true
		}
	}
	for _, item := range n.items {
		if do(item) {
			return true
		}
	}
	return false
}

// hasBlock reports whether there is a part that is always in block style.
func hasBlock(n *node) bool {
	return n.each(func(c *node) bool { return c.always || hasBlock(c) })
}

// hasComments reports whether there are comments within the node.
func hasComments(n *node) bool {
	return n.each(func(c *node) bool {
		return c.note != nil && (c.note.Head != "" || c.note.Line != "") || hasComments(c)
	})
}

func flow(n *node) string {
	var parts []string
	switch n.kind {
	case scalar:
		return quoted(n.text, true)
	case empty:
		return ""
	case list:
		for _, item := range n.items {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, p := range n.pairs {
		parts = append(parts, strings.TrimSpace(quotedKey(p.key, true)+": "+flow(p.val)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// quotedKey returns a key as YAML. The keys of the language need no quotes: "on" is a Boolean only in old versions of YAML.
func quotedKey(text string, inFlow bool) string {
	if text == "on" {
		return text
	}
	return quoted(text, inFlow)
}

// quoted returns a scalar as YAML, in quotes where it would be read as something else without them.
func quoted(text string, inFlow bool) string {
	special := inFlow && strings.ContainsAny(text, ",[]{}:") || strings.ContainsAny(text, "\"'") ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.Contains("?<=-.", text[:min(1, len(text))])
	if !special && (isPlain(text) || !token.IsNeedQuoted(text)) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// isPlain reports whether a text is a number or a Boolean, which scalars may well be.
func isPlain(text string) bool {
	if text == "true" || text == "false" {
		return true
	}
	return strings.Trim(text, "0123456789.") == "" && strings.Count(text, ".") <= 1 && text[0] != '.' && text[len(text)-1] != '.'
}
