package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
)

// WriteAs writes the recordings of a report in the format of another tool, which counts all of a run. The sentence left says what that
// format has no place for; it may be empty. If it is verbose, each request is printed where the tool does that too.
func (v *Report) WriteAs(
	w io.Writer, format string, json, verbose bool, opts aggregate.Options, inputs ...recording.Input,
) (left string, err error) {
	if !v.Entire() {
		return "", fmt.Errorf("--format: %s holds statistics, not operations", inputs[0].Name)
	}
	kinds, interval, err := aggregate.AnalyzeEntire(opts, inputs...)
	if err != nil {
		return "", err
	}
	run := &report.ToolRun{Interval: interval, Plan: v.ToolPlan(), Location: time.Local}
	run.Kinds = slices.DeleteFunc(kinds, func(e *aggregate.Entire) bool { return e.Phase == op.PhasePrepare })
	if run.Verbose = verbose && report.PrintsRequests(format); run.Verbose {
		if err := aggregate.EachEntire(opts, run.Add, inputs...); err != nil {
			return "", err
		}
	}
	if list := report.LeftOut(format, run); len(list) > 0 {
		left = fmt.Sprintf("%s has no results for %s; they are left out", format, strings.Join(list, ", "))
	}
	return left, report.As(w, format, json, run)
}
