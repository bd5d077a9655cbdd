package script

import (
	"fmt"

	"warp/internal/option"
)

// unknown returns the complaint about a name that is not one of those that are possible.
func unknown(what, name string, known []string) string {
	text := fmt.Sprintf("unknown %s %q", what, name)
	if near := option.Nearest(name, known); near != "" {
		return text + fmt.Sprintf(" (did you mean %s?)", near)
	}
	return text + " (want " + option.List(known...) + ")"
}

// unknown returns the complaint about the name of a data set that is not one of these.
func (d DataSets) unknown(name string) string {
	if len(d) == 0 {
		return fmt.Sprintf("unknown data set %q (want one below data, as in data: {%s: {objects: 1000, size: 1MiB}})", name, name)
	}
	var names []string
	for i := range d {
		names = append(names, d[i].Name)
	}
	return unknown("data set", name, names)
}
