package script

import (
	"slices"
	"strings"
)

// Small is values of the file's variables with which a run is a trial of seconds.
type Small struct {
	Note
	Values []Param `key:",rest"`
}

// Value returns the value of a variable.
func (s *Small) Value(name string) (text string, ok bool) {
	i := slices.IndexFunc(s.Values, func(p Param) bool { return p.Name == name })
	if i < 0 || len(s.Values[i].Values) != 1 {
		return "", false
	}
	return s.Values[i].Values[0].Text, true
}

// small complains about values of variables that the file does not have, whether they are asked for or not.
func (r *resolver) small() {
	known := r.file.Variables()
	for i := range r.file.Small.Values {
		p := &r.file.Small.Values[i]
		path := "small." + p.Name
		switch {
		case len(known) == 0:
			r.add(p.Pos, path, "the file has no variable (want one, as in ${%s:-1MiB})", p.Name)
		case !slices.Contains(known, p.Name):
			r.add(p.Pos, path, "%s", unknown("variable", p.Name, known))
		case len(p.Values) != 1:
			r.add(p.Pos, path, "a list where a single value belongs")
		case strings.Contains(p.Values[0].Text, "${"):
			r.add(p.Values[0].Pos, path, "invalid value %q (want a value without a variable)", p.Values[0].Text)
		}
	}
}
