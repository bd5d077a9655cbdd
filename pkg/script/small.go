package script

import "slices"

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
