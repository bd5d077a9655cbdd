package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/recording"
)

// mergeTee finds the windows of a merged recording, and says at its end what a report on it needs: what the recordings that
// it is of said at theirs, and what the merge itself found. So an analysis of it says no less than one of the parts.
type mergeTee struct {
	*aggregate.Bounds
	inputs []recording.Input
}

// End is what the merged recording says at its end.
func (t mergeTee) End(m *recording.Merged) any {
	end := &runEnd{Warnings: m.Warnings, Incomplete: m.Incomplete, Windows: t.Windows()}
	from, to := end.Windows.Benchmark()
	for i, text := range m.Ends {
		one, name := endOf(text), t.inputs[i].Name
		end.Interrupted = end.Interrupted || one.Interrupted
		end.Incomplete = append(end.Incomplete, one.cut(name)...)
		end.Warnings = append(end.Warnings, prefixed(name, one.Warnings)...)
		end.Clients = append(end.Clients, one.Clients...)
		end.Parts = append(end.Parts, one.parts(name, from, to)...)
		end.Engine = cmp.Or(end.Engine, one.Engine)
		end.Connections = sumOf(end.Connections, one.Connections)
	}
	end.fit(longestEnd)
	return end
}

// endTee is mergeTee where it is known what to say of the parts.
type endTee struct {
	*aggregate.Bounds
	end runEnd
}

// End is what the merged recording says at its end.
func (t endTee) End(*recording.Merged) any {
	end := t.end
	end.Windows = t.Windows()
	end.fit(longestEnd)
	return &end
}

// longestEnd is how long an end may be, as JSON: readers pass over a comment that is longer than a row may be.
const longestEnd = recording.MaxRow / 2

// keptWarnings is how many warnings stay if there are too many for one comment.
const keptWarnings = 1000

// fit makes the end of a recording of very many shorter than so many bytes. What goes first is how clients did that were not
// the limit, then what else is known of clients, and then warnings.
func (e *runEnd) fit(most int) {
	if e.size() <= most {
		return
	}
	var all []string
	for i := range e.Parts {
		all = append(all, e.Parts[i].warnings()...)
	}
	e.Parts, all = nil, append(all, e.Warnings...)
	e.Warnings = all
	e.Clients = slices.Clone(e.Clients)
	for i := range e.Clients {
		e.Clients[i].Self = nil // what it says of limits stands in the warnings
	}
	if e.size() <= most {
		return
	}
	e.Clients = nil
	for kept := min(len(all), keptWarnings); kept > 0 && e.size() > most; kept /= 2 {
		e.Warnings = all[:kept:kept]
		if more := len(all) - kept; more > 0 {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%d more warnings are not kept in this recording", more))
		}
	}
}

// size is how long the end is as a comment.
func (e *runEnd) size() int {
	text, err := json.Marshal(e)
	if err != nil {
		return 0 // the writer will tell
	}
	return len(text)
}
