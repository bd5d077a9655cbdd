package report

import (
	"slices"
	"strings"

	"warp/pkg/compare"
	"warp/pkg/op"
)

// contradiction is noted where an interval seems to say something else than the verdict beside it.
const contradiction = "a change may be ~ although its interval leaves 0 out: an interval is of that change alone, " +
	"a verdict allows for how many changes there are and for those too small to matter"

// changeNotes is why nothing is claimed of some changes, each reason once, with the types it is about unless it is about
// all of them.
func changeNotes(c *compare.Comparison) []string {
	var reasons []string
	about := make(map[string][]string) // reason to types
	types, contradicted := 0, false
	for _, t := range c.Types {
		if t.Phase == op.PhasePrepare {
			continue
		}
		types++
		for i := range t.Changes {
			ch := &t.Changes[i]
			contradicted = contradicted || contradicts(ch)
			if ch.Note == "" {
				continue
			}
			if about[ch.Note] == nil {
				reasons = append(reasons, ch.Note)
			}
			if name := t.String(); !slices.Contains(about[ch.Note], name) {
				about[ch.Note] = append(about[ch.Note], name)
			}
		}
	}
	for i, reason := range reasons {
		if names := about[reason]; len(names) < types {
			reasons[i] = strings.Join(names, ", ") + ": " + reason
		}
	}
	if contradicted {
		reasons = append(reasons, contradiction)
	}
	return reasons
}

// contradicts tells whether the interval of c leaves 0 out and yet nothing is claimed, without a word why.
func contradicts(c *compare.Change) bool {
	return c.CI != nil && !c.Significant && c.Note == "" && (c.CI.Low > 0 || c.CI.High < 0)
}
