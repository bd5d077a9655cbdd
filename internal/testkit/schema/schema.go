// Package schema makes JSON Schemas of types and compares them with those that are published. It is apart from testkit because
// its validator makes each process of a test binary start 2 ms later, and some tests start more than a thousand.
package schema

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"warp/internal/testkit"
)

// Schema makes JSON Schemas of the structs that JSON is written from.
type Schema struct {
	Title string
	Type  reflect.Type
	Any   map[string]reflect.Type // of fields that may hold anything: what they hold, by key
	Doc   string                  // document with a row "| `key` | type | meaning |" for each key
	// Strict allows no keys but those that are known. A published schema is not strict, since later versions may add some.
	Strict bool
	// Packages are the published names of packages that have another name by now: who generates code from a schema has types of these names.
	Packages map[string]string

	defs map[string]any
}

// rows are the rows of tables that describe keys.
var rows = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]* \\| (.*) \\|$")

// JSON returns the schema.
func (s Schema) JSON(t testing.TB) string {
	t.Helper()
	s.defs = map[string]any{}
	about := map[string]string{}
	for _, row := range rows.FindAllStringSubmatch(s.Doc, -1) {
		if about[row[1]] == "" {
			about[row[1]] = strings.ReplaceAll(row[2], "`", "")
		}
	}
	root := s.of(s.Type, about)
	if ref, ok := root["$ref"]; ok {
		root = s.defs[strings.TrimPrefix(ref.(string), "#/$defs/")].(map[string]any)
		root = cloned(root)
	}
	root["$schema"], root["title"], root["$defs"] = "https://json-schema.org/draft/2020-12/schema", s.Title, s.defs
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func cloned(m map[string]any) map[string]any {
	c := map[string]any{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// of returns the schema of a type.
func (s *Schema) of(t reflect.Type, about map[string]string) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return map[string]any{}
	case t.Implements(reflect.TypeFor[json.Marshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
		return map[string]any{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), about)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem(), about)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem(), about)}
	case reflect.Struct:
		name := strings.TrimSuffix(t.Name(), "JSON")
		if t.PkgPath() != s.Type.PkgPath() { // names of several packages may be alike
			pkg := path.Base(t.PkgPath())
			name = cmp.Or(s.Packages[pkg], pkg) + "." + name
		}
		if _, ok := s.defs[name]; !ok {
			s.defs[name] = map[string]any{} // it may hold itself
			s.defs[name] = s.object(t, about)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	return map[string]any{"type": "integer"}
}

// object returns the schema of a struct.
func (s *Schema) object(t reflect.Type, about map[string]string) map[string]any {
	properties, required := map[string]any{}, []string{}
	s.fields(t, about, properties, &required)
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	if s.Strict {
		out["additionalProperties"] = false
	}
	return out
}

// fields adds the fields of a struct, including the fields of embedded structs.
func (s *Schema) fields(t reflect.Type, about map[string]string, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			s.fields(inner, about, properties, required)
			continue
		case name == "":
			name = f.Name
		}
		if properties[name] != nil {
			continue // of the struct around it, which counts
		}
		p := s.of(f.Type, about)
		if inner, ok := s.Any[name]; ok {
			p = s.of(inner, about)
		}
		if text := about[name]; text != "" {
			p["description"] = text
		}
		properties[name] = p
		nullable := f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map || f.Type.Kind() == reflect.Pointer
		switch {
		case strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero"):
		case nullable && f.Type != reflect.TypeFor[json.RawMessage]():
			properties[name] = map[string]any{"anyOf": []any{p, map[string]any{"type": "null"}}}
			*required = append(*required, name)
		default:
			*required = append(*required, name)
		}
	}
}

// Published compares the schema with the one that is published in a file, and checks that documents comply with it: with a
// strict one, which knows all of their keys. Documents have names, for errors.
func (s Schema) Published(t *testing.T, path string, documents map[string][]byte) {
	t.Helper()
	testkit.Golden(t, path, s.JSON(t))
	s.Strict = true
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(s.JSON(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) == 0 {
		t.Fatal("no document")
	}
	for name, text := range documents {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
