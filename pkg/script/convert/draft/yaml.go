package draft

import (
	"errors"
	"strings"

	"warp/pkg/script"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Entry is a scalar, a list or a mapping of a YAML file.
type Entry struct {
	At     script.Pos
	Text   string // of a scalar
	List   []Entry
	Keys   []string // of a mapping, in order
	Values map[string]Entry
	Places map[string]script.Pos // of the keys
}

// MaxDepth is how deep a file may be nested.
const MaxDepth = 20

// ParseYAML returns the one document of a YAML file.
func ParseYAML(text string, errs *Problems) (root Entry) {
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			errs.Addf(tokenPosition(syntax.GetToken()), "invalid YAML: %s", syntax.GetMessage())
		} else {
			errs.Addf(script.Pos{}, "invalid YAML: %w", err)
		}
		return root
	}
	docs := 0
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if docs++; docs > 1 {
			errs.Addf(tokenPosition(doc.Body.GetToken()), "a second document (want one in a file)")
			return root
		}
		root = entryOf(doc.Body, errs, 0)
		root.name("", errs)
	}
	return root
}

// name has errors name values by their keys, with those around them.
func (e Entry) name(key string, errs *Problems) {
	if key != "" {
		errs.Name(e.At, key)
	}
	for _, k := range e.Keys {
		e.Values[k].name(strings.TrimPrefix(key+"."+k, "."), errs)
	}
	for _, item := range e.List {
		item.name(key, errs)
	}
}

func tokenPosition(t *token.Token) script.Pos {
	if t == nil || t.Position == nil {
		return script.Pos{}
	}
	return script.Pos{Line: t.Position.Line, Column: t.Position.Column}
}

// entryOf returns a part of a file. Anchors and aliases are refused.
func entryOf(n ast.Node, errs *Problems, depth int) (e Entry) {
	if n == nil {
		return e
	}
	e.At = tokenPosition(n.GetToken())
	if depth > MaxDepth {
		errs.Addf(e.At, "nested too deeply (want at most %d levels)", MaxDepth)
		return e
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		e.mapping(n.Values, errs, depth)
	case *ast.MappingValueNode:
		e.mapping([]*ast.MappingValueNode{n}, errs, depth)
	case *ast.SequenceNode:
		e.List = make([]Entry, 0, len(n.Values))
		for _, v := range n.Values {
			e.List = append(e.List, entryOf(v, errs, depth+1))
		}
	case *ast.StringNode:
		e.Text = n.Value
	case *ast.LiteralNode:
		e.Text = n.Value.Value
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		errs.Addf(e.At, "anchors, aliases and tags are not supported; write what they stand for")
	default:
		if t := n.GetToken(); t != nil {
			e.Text = t.Value
		}
	}
	return e
}

func (e *Entry) mapping(values []*ast.MappingValueNode, errs *Problems, depth int) {
	e.Values, e.Places = map[string]Entry{}, map[string]script.Pos{}
	for _, v := range values {
		key := entryOf(v.Key, errs, depth+1)
		if _, ok := e.Values[key.Text]; ok {
			errs.Addf(key.At, "%q is there twice", key.Text)
			continue
		}
		e.Keys = append(e.Keys, key.Text)
		e.Places[key.Text] = key.At
		value := entryOf(v.Value, errs, depth+1)
		if value.At.IsZero() {
			value.At = key.At
		}
		e.Values[key.Text] = value
	}
}

// Value returns a text that the entry gives, as a value of its place.
func (e Entry) Value(text string) script.Value { return script.Text(text).At(e.At) }

// Texts returns the scalars of a list, or the one scalar.
func (e Entry) Texts() (list []string) {
	if e.List == nil {
		return []string{e.Text}
	}
	for _, i := range e.List {
		list = append(list, i.Text)
	}
	return list
}
