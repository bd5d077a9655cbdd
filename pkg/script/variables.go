package script

import (
	"reflect"
	"slices"
	"strings"
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
		for _, part := range strings.Split(value.Text, "${")[1:] {
			name, _, _ := strings.Cut(part, "}")
			name, _, _ = strings.Cut(name, ":-")
			*names = append(*names, name)
		}
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

// missing complains about a value that must not be empty, and is.
func (r *resolver) missing(v Value, path string) {
	if n := len(r.list); v.Text != "" && (n == 0 || r.list[n-1].Pos != v.Pos) {
		r.add(v.Pos, path, "invalid value %q, which is empty (want a default that is not, as in ${NAME:-default})", v.Text)
	}
}

// text returns a value with its variables; ok is false if it is absent or empty with them, or if one is not known.
func (r *resolver) text(v Value, path string) (text string, ok bool) {
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
			r.add(v.Pos, path, "invalid value %q (want a closing brace, as in ${NAME} or ${NAME:-default})", v.Text)
			return "", false
		}
		name, usual, hasUsual := strings.Cut(name, ":-")
		value, known, err := r.Variables(name)
		switch {
		case err != nil:
			r.add(v.Pos, path, "%v", err)
			return "", false
		case strings.Contains(usual, "${"):
			r.add(v.Pos, path, "invalid value %q (want a default without a variable, as in ${%s:-1MiB})", v.Text, name)
			return "", false
		case known && value != "":
			usual = value
		case !hasUsual:
			const format = "variable %[1]s is not set (want --set %[1]s=VALUE, --allow=env:%[1]s for that of the environment, " +
				"or a default as in ${%[1]s:-1MiB})"
			r.add(v.Pos, path, format, name)
			return "", false
		}
		text, rest = text+usual, more
	}
}
