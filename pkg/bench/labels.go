package bench

import (
	"fmt"
	"slices"
	"strings"
)

// label labels the tasks that have names, and the tasks that record the same kind: with the names of their data sets if these differ,
// otherwise with numbers. Companions append their names.
func (s *stream) label() error {
	companion := func(t *task) bool { return t.companion != "" }
	for _, t := range s.tasks {
		if len(s.Tasks) > 0 && !companion(t) {
			t.label = s.Tasks[t.number].Name
		}
	}
	for _, t := range s.tasks {
		if same := slices.DeleteFunc(s.alike(t), companion); t.label == "" && !companion(t) && len(same) > 1 {
			t.label = fmt.Sprint(t.number + 1)
			sets := labelOf(t.Set)
			taken := func(o *task) bool { return o != t && strings.EqualFold(labelOf(o.Set), sets) }
			if sets != "" && !slices.ContainsFunc(same, taken) {
				t.label = sets
			}
		}
	}
	mix := ""
	for _, t := range s.tasks {
		switch {
		case !companion(t):
			mix = t.label
		case mix != "":
			t.label = labelOf(mix + "-" + t.companion)
		case len(s.alike(t)) > 1:
			t.label = labelOf(t.companion)
		}
	}
	for _, t := range s.tasks {
		if t.label != "" && labelOf(t.label) != t.label {
			return t.fault(fmt.Errorf("invalid name %q (want at most %d letters, digits and dashes)", t.label, maxLabel))
		}
		for _, o := range s.alike(t) {
			if o != t && strings.EqualFold(o.label, t.label) {
				return t.fault(fmt.Errorf("the name %q is that of another task, which records the same kind of operation", t.label))
			}
		}
	}
	return nil
}

// maxLabel is the maximum length of a label.
const maxLabel = 32

// labelOf turns a text into a label of letters, digits and dashes.
func labelOf(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '-'
	}, text)
	return text[:min(len(text), maxLabel)]
}
