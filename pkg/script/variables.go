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
