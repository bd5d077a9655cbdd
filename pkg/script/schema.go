package script

import (
	"encoding/json"
	"reflect"
	"slices"

	"warp/internal/secret"
	"warp/pkg/bench/replay"
	"warp/pkg/bench/work"
)

// object is a part of a JSON Schema.
type object = map[string]any

// Described is a command that says what its flags do.
type Described interface {
	Command
	Usage(flag string) string
}

// Schema returns the JSON Schema of files, made of the structs that they are parsed into, and of the flags of all operations.
func Schema(command func(operation string) Described) ([]byte, error) {
	s := schema{defs: object{}, command: command}
	root := s.object(reflect.TypeFor[File]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Scenario of warp"
	root["required"] = []string{"warp", "phases"}
	root["$defs"] = s.defs
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

type schema struct {
	defs    object
	command func(operation string) Described
}

// call is a scalar, or a mapping of one key that stands for a call.
var call = object{"anyOf": []object{
	{"type": []string{"string", "number", "boolean"}},
	{"type": "object", "minProperties": 1, "maxProperties": 1},
}}

// of returns the schema of a type.
func (s schema) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[Value]():
		s.defs["Value"] = call
		return object{"$ref": "#/$defs/Value"}
	case t == reflect.TypeFor[DataSets]():
		return object{"type": "object", "additionalProperties": s.of(reflect.TypeFor[DataSet]())}
	case t.Kind() == reflect.Slice:
		item := s.of(t.Elem())
		return object{"anyOf": []object{item, {"type": "array", "items": item}}}
	}
	if _, ok := s.defs[t.Name()]; !ok {
		s.defs[t.Name()] = object{} // it may hold itself
		def := s.object(t)
		switch short, hasShort := fieldsOf(t).short(); {
		case hasShort:
			def = object{"anyOf": []object{s.of(t.Field(short.index).Type), def}}
		case t == reflect.TypeFor[Phase]():
			def = object{"anyOf": []object{def, {"type": "array", "items": object{"$ref": "#/$defs/Phase"}}}}
		case t == reflect.TypeFor[Do]():
			def = object{"anyOf": []object{{"enum": operations()}, def}}
		}
		s.defs[t.Name()] = def
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

// object returns the schema of a struct.
func (s schema) object(t reflect.Type) object {
	properties := object{}
	for _, f := range fieldsOf(t).list {
		p := s.of(t.Field(f.index).Type)
		p["description"] = f.doc
		properties[f.key] = p
	}
	switch t {
	case reflect.TypeFor[Target]():
		cmd := s.command(work.Registry()[0].Name)
		for _, name := range cmd.Flags() {
			if cmd.OfTarget(name) && properties[name] == nil && !slices.Contains(secret.Credentials, name) && name != "host" {
				properties[name] = s.param(cmd.Usage(name))
			}
		}
	case reflect.TypeFor[Small]():
		return object{"type": "object", "additionalProperties": s.of(reflect.TypeFor[Value]())}
	case reflect.TypeFor[Do]():
		s.operations(properties)
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}

// operations adds a property for each operation, and for each parameter of any.
func (s schema) operations(properties object) {
	for _, info := range work.Registry() {
		properties[info.Name] = object{"type": []string{"string", "null"}, "description": info.Usage + "; the value is its data set"}
	}
	properties[replay.Info.Name] = object{"type": "string", "description": "perform the operations of a trace; the value is its file"}
	for _, info := range append(work.Registry(), replay.Info) {
		cmd := s.command(info.Name)
		for _, name := range cmd.Flags() {
			if cmd.OfOperation(name) && properties[name] == nil {
				properties[name] = s.param(cmd.Usage(name))
			}
		}
	}
	for plural, name := range plurals {
		properties[plural] = properties[name]
	}
}

// param returns the schema of an option under the name of its flag.
func (s schema) param(usage string) object {
	p := s.of(reflect.TypeFor[[]Value]())
	p["description"] = usage
	return p
}
