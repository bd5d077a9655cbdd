package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/script/convert"
)

// checkFormat checks the format of another tool, which replaces everything that is made of a report.
func (c *analysis) checkFormat() error {
	if c.format == "" {
		return nil
	}
	if err := option.OneOf("format", c.format, report.Formats()...); err != nil {
		return err
	}
	switch {
	case c.out.json && c.format != "hsbench":
		return option.Errorf("format, json", "%s prints no JSON", c.format)
	case c.analyze.out != "" || c.analyze.html != "" || c.analyze.summary != (summaryFlags{}):
		return option.Errorf("format", "want no --analyze.out, --html, --summary-md or --junit beside it, which are made of the usual report")
	case c.analyze.skip > 0:
		return option.Errorf("format, analyze.skip", "%s counts the whole run", c.format)
	}
	return nil
}

// printForeign prints recordings in the format of another tool.
func (c *analysis) printForeign(v *reportView, opts aggregate.Options, inputs []recording.Input) error {
	if !v.entire() {
		return fmt.Errorf("--format: %s holds statistics, not operations", inputs[0].Name)
	}
	kinds, interval, err := aggregate.AnalyzeEntire(opts, inputs...)
	if err != nil {
		return err
	}
	run := &report.ToolRun{Interval: interval, Plan: v.toolPlan()}
	run.Kinds = slices.DeleteFunc(kinds, func(e *aggregate.Entire) bool { return e.Phase == op.PhasePrepare })
	if left := report.LeftOut(c.format, run); len(left) > 0 {
		fmt.Fprintf(c.env.Stderr, "warp: %s has no results for %s; they are left out\n", c.format, strings.Join(left, ", "))
	}
	return report.As(c.env.Stdout, c.format, c.out.json, run)
}

// entire reports whether the recordings of the report hold operations.
func (v *reportView) entire() bool {
	return !slices.ContainsFunc(v.snapshot.Groups, func(g *aggregate.Group) bool { return g.Approx != nil })
}

// toolPlan returns what other tools print of the plan; nil if it is not known.
func (v *reportView) toolPlan() *report.ToolPlan {
	plan := v.Head.Plan
	if plan == nil {
		return nil
	}
	t := &report.ToolPlan{Engine: cmp.Or(v.Head.Engine, "lean"), Region: cmp.Or(plan.Target.Region, "us-east-1"), Bucket: plan.Target.Bucket}
	scheme := "http://"
	if plan.Target.TLS {
		scheme = "https://"
	}
	for _, host := range plan.Target.Hosts {
		t.Hosts = append(t.Hosts, scheme+host)
	}
	objects := map[string]uint64{} // by data set
	for i := range plan.Phases {
		for _, s := range plan.Phases[i].Streams() {
			w := convert.WordsOf(plan, s)
			objects[s.Set] = max(objects[s.Set], w.Objects)
			t.Phases = append(t.Phases, report.ToolPhase{
				Name:      s.Name,
				Threads:   s.Concurrency * int(max(1, v.Head.Clients)),
				Runtime:   s.Duration,
				Requests:  s.Ops,
				Ranges:    w.Ranges,
				Objects:   objects[s.Set],
				Size:      w.Size,
				PartSize:  w.PartSize,
				Prefix:    w.Prefix,
				Batch:     w.Batch,
				Statement: w.Statement,
				Naming:    w.Naming,
				Seed:      w.Seed,
			})
		}
	}
	return t
}
