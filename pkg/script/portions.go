package script

import (
	"strconv"
	"strings"

	"warp/pkg/bench"
)

// anyRate stands for a rate that is known only when the phase begins, so that the other flags can be checked.
const anyRate = "1"

// splitPortion removes a rate that is a share of one measured before from a load, as in 80%, or 80% of LABEL; nil if there is none.
func splitPortion(e evaluator, l *Load, path string) *bench.Portion {
	if len(l.Rate) != 1 {
		return nil
	}
	text, ok := e.text(l.Rate[0], path)
	number, of, percent := strings.Cut(text, "%")
	if !ok || !percent || strings.Contains(number, "(") {
		return nil
	}
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	of, label := strings.CutPrefix(strings.TrimSpace(of), "of ")
	if err != nil || !label && of != "" || label && strings.TrimSpace(of) == "" {
		e.add(l.Rate[0].Pos, path, "invalid value %q (want a share of what was measured before, as in 80%%, or 80%% of LABEL)", text)
		return nil
	}
	l.Rate = []Value{{Text: anyRate, Note: l.Rate[0].Note}}
	return &bench.Portion{Share: share / 100, Of: strings.TrimSpace(of)}
}
