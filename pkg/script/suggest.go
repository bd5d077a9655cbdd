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
