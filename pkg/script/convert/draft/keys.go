package draft

import (
	"slices"
	"strings"

	"warp/pkg/script"
)

// Key reports whether a key of a file is one of the options that change something here. One that changes nothing, whose row begins with
// "nothing", is dropped. Any other becomes a comment, since tools have many keys that change nothing, unless it is probably misspelt.
func (d *Draft) Key(at script.Pos, what, key, value string, options []Option) bool {
	var matter []string
	for _, o := range options {
		names := strings.Split(o.Name, ", ")
		unused := strings.HasPrefix(o.Became, "nothing")
		switch {
		case !slices.ContainsFunc(names, func(name string) bool { return matches(name, key) }):
		case unused:
			return false
		default:
			return true
		}
		if !unused {
			matter = append(matter, names...)
		}
	}
	d.Unknown(at, what, key, value, matter)
	return false
}

// matches reports whether a name of an option is a key, or the beginning of it before an asterisk.
func matches(name, key string) bool {
	begin, some := strings.CutSuffix(name, "*")
	return name == key || some && strings.HasPrefix(key, begin)
}
