package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatSummariesLeaveOut: what does not fit is counted, in the right number.
func TestWhatSummariesLeaveOut(t *testing.T) {
	for more, want := range map[int][2]string{
		0: {"", ""}, 1: {"1 more line is in the report.", "1 more warning is in the report."}, 3: {"3 more lines are in the report.", "3 more warnings are in the report."},
	} {
		m, rows, warnings := &markdown{}, [][]string{{"Name"}}, []string{}
		for i := range maxSummaryRows + more {
			rows = append(rows, []string{fmt.Sprint(i)})
		}
		for i := range maxSummaryWarnings + more {
			warnings = append(warnings, fmt.Sprint(i))
		}
		m.table(rows, 1)
		m.foot(&Summary{Warnings: warnings}, nil)
		text := m.buf.String()
		if n := strings.Count(text, "in the report."); more == 0 && n > 0 || more > 0 && n != 2 || !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) {
			t.Errorf("%d more: %s", more, text)
		}
	}
}
