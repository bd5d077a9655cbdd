package script

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/pkg/units"
)

// Variables returns the names of the variables in the file, sorted.
func (f *File) Variables() []string {
	var names []string
	addVariables(reflect.ValueOf(f).Elem(), &names)
	slices.Sort(names)
	return slices.Compact(names)
}

// addVariables adds the variables of all values in v.
func addVariables(v reflect.Value, names *[]string) {
	if value, ok := v.Interface().(Value); ok {
		*names = append(*names, VariablesIn(value.Text)...)
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			addVariables(v.Index(i), names)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				addVariables(v.Field(i), names)
			}
		}
	}
}

// VariablesIn returns the names of the variables in a text.
func VariablesIn(text string) (names []string) {
	for _, part := range strings.Split(text, "${")[1:] {
		name, _, _ := strings.Cut(part, "}")
		name, _, _ = strings.Cut(name, ":-")
		names = append(names, name)
	}
	return names
}

// Expand returns what a value says with its variables; empty if it is absent.
func (s *Source) Expand(v Value, variables func(name string) (value string, ok bool, err error)) (string, error) {
	e := evaluator{&complaints{source: s}, variables}
	text, _ := e.text(v, "")
	return text, e.err()
}

// evaluator returns what values say with their variables, and complains about those that say nothing valid.
type evaluator struct {
	*complaints
	variables func(name string) (value string, ok bool, err error)
}

// missing complains about a value that must not be empty, and is.
func (e evaluator) missing(v Value, path string) {
	if n := len(e.list); v.Text != "" && (n == 0 || e.list[n-1].Pos != v.Pos) {
		e.add(v.Pos, path, "invalid value %q, which is empty (want a default that is not, as in ${NAME:-default})", v.Text)
	}
}

// text returns a value with its variables; ok is false if it is absent or empty with them, or if one is not known.
func (e evaluator) text(v Value, path string) (text string, ok bool) {
	if v.IsZero() {
		return "", false
	}
	rest := v.Text
	for {
		before, after, found := strings.Cut(rest, "${")
		text += before
		if !found {
			return text, text != "" || v.Text == ""
		}
		name, more, closed := strings.Cut(after, "}")
		if !closed {
			e.add(v.Pos, path, "invalid value %q (want a closing brace, as in ${NAME} or ${NAME:-default})", v.Text)
			return "", false
		}
		name, usual, hasUsual := strings.Cut(name, ":-")
		value, known, err := e.variables(name)
		switch {
		case err != nil:
			e.add(v.Pos, path, "%v", err)
			return "", false
		case strings.Contains(usual, "${"):
			e.add(v.Pos, path, "invalid value %q (want a default without a variable, as in ${%s:-1MiB})", v.Text, name)
			return "", false
		case known && value != "":
			usual = value
		case !hasUsual:
			const format = "variable %[1]s is not set (want --set %[1]s=VALUE, --allow=env:%[1]s for that of the environment, " +
				"or a default as in ${%[1]s:-1MiB})"
			e.add(v.Pos, path, format, name)
			return "", false
		}
		text, rest = text+usual, more
	}
}

// texts returns what the values of a list say; those that are absent or empty are left out.
func (e evaluator) texts(list []Value, path string) (texts []string) {
	for i, v := range list {
		if text, ok := e.text(v, indexed(path, i)); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// joinValues returns a list as one value.
func (e evaluator) joinValues(list []Value, path string) Value {
	return Value{Text: strings.Join(e.texts(list, path), ","), Note: Note{Pos: list[0].Pos}}
}

// count returns a number, which may end in k, M or G.
func (e evaluator) count(v Value, path string) (int64, bool) {
	text, ok := e.text(v, path)
	if !ok {
		return 0, false
	}
	n, err := units.ParseCount(text)
	if err != nil || n > math.MaxInt64 {
		e.add(v.Pos, path, "invalid value %q (want a whole number, as in 2500, 10k or 1M)", text)
		return 0, false
	}
	return int64(n), true
}

// isTrue reports whether a value is true; one that is absent is not.
func (e evaluator) isTrue(v Value, path string) bool {
	text, ok := e.text(v, path)
	if !ok {
		return false
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		e.add(v.Pos, path, "invalid value %q (want true or false)", text)
	}
	return on
}
