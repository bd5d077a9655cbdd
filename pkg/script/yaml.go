package script

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"warp/pkg/units"
)

// maxFile is the maximum length of a file, in bytes, and maxDepth how deep it may be nested.
const (
	maxFile  = 1 << 20
	maxDepth = 50
)

// comment is a comment of a file.
type comment struct {
	line  int
	text  string
	alone bool // on its line
}

// readYAML returns the tree of a file, and its comments. The tree is nil if the file is no YAML.
func readYAML(text []byte, c *complaints) (*node, []comment) {
	switch {
	case len(text) > maxFile:
		c.add(Pos{}, "", "the file has %d bytes (want at most %d)", len(text), maxFile)
		return nil, nil
	case !utf8.Valid(text):
		c.add(Pos{}, "", "the file is not UTF-8")
		return nil, nil
	}
	tokens := lexer.Tokenize(string(text))
	if t := tooDeep(tokens); t != nil {
		c.add(posOf(t), "", "nested too deeply (want at most %d levels)", maxDepth)
		return nil, nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax yaml.Error
		pos, message := Pos{}, err.Error()
		if errors.As(err, &syntax) {
			pos, message = posOf(syntax.GetToken()), syntax.GetMessage()
		}
		c.add(pos, "", "invalid YAML: %s", message)
		return nil, nil
	}
	r := reader{c}
	var root *node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			c.add(posOf(doc.Body.GetToken()), "", "a second document (want one scenario in a file)")
			return nil, nil
		default:
			root = r.node(doc.Body, 0)
		}
	}
	if root == nil || root.kind == empty {
		c.add(Pos{}, "", "the file is empty; \"warp script init\" prints one to start with")
		return nil, nil
	}
	return root, commentsOf(tokens)
}

// tooDeep returns where brackets, or entries on one line, are nested deeper than a parser that recurses should go; nil if
// they are not.
func tooDeep(tokens token.Tokens) *token.Token {
	brackets, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			entries, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType, token.MappingValueType:
			entries++
		}
		if brackets > maxDepth || entries > 1000 {
			return t
		}
	}
	return nil
}

// reader turns the tree of the library into nodes.
type reader struct{ *complaints }

func posOf(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{}
	}
	return Pos{t.Position.Line, t.Position.Column}
}

// node returns a part of the tree. What the language has no use for is a complaint.
func (r reader) node(n ast.Node, depth int) *node {
	out := &node{kind: empty}
	if n == nil {
		return out
	}
	out.pos = posOf(n.GetToken())
	if depth > maxDepth {
		r.add(out.pos, "", "nested too deeply (want at most %d levels)", maxDepth)
		return out
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		r.mapping(out, n.Values, depth)
		if n.IsFlowStyle {
			out.pos = posOf(n.Start)
		}
	case *ast.MappingValueNode:
		r.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = list
		for _, v := range n.Values {
			out.items = append(out.items, r.node(v, depth+1))
		}
	case *ast.LiteralNode:
		r.scalar(out, strings.TrimRight(n.Value.Value, "\n"))
	case *ast.StringNode:
		r.scalar(out, n.Value)
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		out.kind = broken
		r.add(out.pos, "", "anchors and aliases are not part of the language; name what is used twice as a data set, or use repeat or a variable")
	case *ast.TagNode:
		out.kind = broken
		r.add(out.pos, "", "tags such as %q are not part of the language (want a plain value)", n.Start.Value)
	default:
		if t := n.GetToken(); t != nil {
			r.scalar(out, t.Value)
		}
	}
	return out
}

func (r reader) mapping(out *node, values []*ast.MappingValueNode, depth int) {
	out.kind = mapping
	for i, v := range values {
		key := r.node(v.Key, depth+1)
		if key.kind != scalar {
			r.add(key.pos, "", "invalid key (want a name)")
			continue
		}
		if i == 0 {
			out.pos = key.pos
		}
		out.pairs = append(out.pairs, pair{key.text, key.pos, r.node(v.Value, depth+1)})
	}
}

// scalar sets the text of a scalar.
func (r reader) scalar(out *node, text string) {
	out.kind, out.text = scalar, text
	if i := strings.IndexFunc(text, unreadable); i >= 0 {
		r.add(out.pos, "", "invalid value %q (want text on one line, without control characters)", text)
		out.text = units.Line(text)
	}
}

// unreadable reports whether a character is invalid, or makes a text look like another one.
func unreadable(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == utf8.RuneError
}

// commentsOf returns the comments of a file, in order.
func commentsOf(tokens token.Tokens) (list []comment) {
	line := 0 // of the last token before
	for _, t := range tokens {
		if t.Type == token.CommentType {
			text := strings.TrimRightFunc(strings.TrimPrefix(t.Value, " "), unicode.IsSpace)
			list = append(list, comment{t.Position.Line, text, line != t.Position.Line})
		}
		line = t.Position.Line
	}
	return list
}
