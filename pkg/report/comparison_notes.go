package report

import (
	"slices"

	"warp/pkg/compare"
	"warp/pkg/op"
	"warp/pkg/units"
)

// contradiction explains an interval that seems to contradict its verdict.
const contradiction = "a change may be ~ although its interval excludes 0: the interval is of that change alone, " +
	"the verdict accounts for the number of changes and for changes too small to matter"

// changeNotes returns the reasons why there is no claim for some changes, each once, with the kinds it applies to
// unless it applies to all.
func changeNotes(c *compare.Comparison) []string {
	var reasons []string
	about := make(map[string][]string) // kinds by reason
	types, contradicted := 0, false
	for _, k := range c.Kinds {
		if k.Phase == op.PhasePrepare {
			continue
		}
		types++
		for i := range k.Changes {
			ch := &k.Changes[i]
			contradicted = contradicted || contradicts(ch)
			if ch.Note == "" {
				continue
			}
			if about[ch.Note] == nil {
				reasons = append(reasons, ch.Note)
			}
			if name := k.String(); !slices.Contains(about[ch.Note], name) {
				about[ch.Note] = append(about[ch.Note], name)
			}
		}
	}
	for i, reason := range reasons {
		if names := about[reason]; len(names) < types {
			reasons[i] = units.List(names, 6) + ": " + reason
		}
	}
	if contradicted {
		reasons = append(reasons, contradiction)
	}
	return reasons
}

// contradicts reports whether the interval of c excludes 0 although nothing is claimed, without a note why.
func contradicts(c *compare.Change) bool {
	return c.CI != nil && !c.Significant && c.Note == "" && (c.CI.Low > 0 || c.CI.High < 0)
}
