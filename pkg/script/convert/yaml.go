package convert

import (
	"errors"

	"warp/pkg/script"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// entry is a scalar, a list or a mapping of a YAML file.
type Entry struct {
	at     script.Pos
	text   string // of a scalar
	list   []Entry
	keys   []string // of a mapping, in order
	values map[string]Entry
	places map[string]script.Pos // of the keys
}

// maxDepth is how deep a file may be nested.
const MaxDepth = 20

// parseYAML returns the one document of a YAML file.
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
	}
	return root
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
	e.at = tokenPosition(n.GetToken())
	if depth > MaxDepth {
		errs.Addf(e.at, "nested too deeply (want at most %d levels)", MaxDepth)
		return e
	}
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.MappingNode:
		e.mapping(n.Values, errs, depth)
	case *ast.MappingValueNode:
		e.mapping([]*ast.MappingValueNode{n}, errs, depth)
	case *ast.SequenceNode:
		e.list = make([]Entry, 0, len(n.Values))
		for _, v := range n.Values {
			e.list = append(e.list, entryOf(v, errs, depth+1))
		}
	case *ast.StringNode:
		e.text = n.Value
	case *ast.LiteralNode:
		e.text = n.Value.Value
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		errs.Addf(e.at, "anchors, aliases and tags are not supported; write what they stand for")
	default:
		if t := n.GetToken(); t != nil {
			e.text = t.Value
		}
	}
	return e
}

func (e *Entry) mapping(values []*ast.MappingValueNode, errs *Problems, depth int) {
	e.values, e.places = map[string]Entry{}, map[string]script.Pos{}
	for _, v := range values {
		key := entryOf(v.Key, errs, depth+1)
		if _, ok := e.values[key.text]; ok {
			errs.Addf(key.at, "%q is there twice", key.text)
			continue
		}
		e.keys = append(e.keys, key.text)
		e.places[key.text] = key.at
		value := entryOf(v.Value, errs, depth+1)
		if value.at.IsZero() {
			value.at = key.at
		}
		e.values[key.text] = value
	}
}
