package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/reports"
	"warp/cli/internal/rules"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/recording"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/search"
	"warp/view/page"
)

// comparison is the command that compares recordings.
type comparison struct {
	reports.Printer
	before, after         string
	threshold, confidence flags.Percent
	gate                  rules.Flags
}

func compareCommand(e *process.Env) *cli.Command {
	c := &comparison{Printer: reports.Printer{Env: e}, confidence: 95}
	flags := flags.Categorize(flags.CatReport, []cli.Flag{
		&cli.StringFlag{Name: "before", Destination: &c.before, Usage: "`FILES` recordings of several runs before the change, comma separated"},
		&cli.StringFlag{Name: "after", Destination: &c.after, Usage: "`FILES` recordings of several runs after the change, comma separated"},
		flags.PercentFlag("threshold", "`PERCENT` smallest change that matters", &c.threshold),
		flags.PercentFlag("confidence", "`PERCENT` level of the confidence intervals", &c.confidence),
	})
	flags = append(flags, c.gate.Flags()...)
	flags = append(append(flags, c.Out.Common()...), c.Out.OverwriteFlag())
	return &cli.Command{
		Name:      "cmp",
		Usage:     "compare runs before and after a change",
		ArgsUsage: "BEFORE AFTER...",
		Description: "Prints what changed from one recording to another, with a confidence interval for each figure, and \"~\" where " +
			"the difference may be chance. Several runs on each side (--before, --after) say more than one: they show how much runs " +
			"differ by themselves. Each of several recordings AFTER is compared with BEFORE; --html shows all of them in the same " +
			"charts.",
		UsageText: "warp cmp --fail-if=\"GET.p99>+10%\" before.csv.zst after.csv.zst",
		Flags:     append(flags, c.Analyze.Selection()...),
		Action:    c.action,
	}
}

func (c *comparison) action(_ context.Context, cmd *cli.Command) error {
	files, err := c.files(cmd.Args().Slice())
	if err != nil {
		return err
	}
	if !(c.threshold >= 0 && c.threshold < 100) {
		return process.UsageErrors(option.Invalid("threshold", float64(c.threshold), "a percentage from 0, below 100"))
	}
	if !(c.confidence >= 50 && c.confidence < 100) {
		return process.UsageErrors(option.Invalid("confidence", float64(c.confidence), "a percentage from 50, below 100"))
	}
	opts, err := c.Analyze.Options()
	if err != nil {
		return process.UsageErrors(err)
	}
	if err := c.Analyze.CheckOutputs(&c.Out, slices.Concat(files...)...); err != nil {
		return process.UsageErrors(err)
	}
	opts.SegmentTimes, opts.HostSegments = true, false // latencies by segment are what the comparison draws from
	rules, err := c.gate.OfChange()
	if err != nil {
		return err
	}
	defer c.Env.LeaveOnInterrupt()()
	sides, err := c.read(files, opts)
	if err != nil {
		return err
	}
	return c.compare(sides, rules)
}

// read reads the recordings of all sides.
func (c *comparison) read(paths [][]string, opts aggregate.Options) (sides []side, err error) {
	src, err := files.Open(c.Env, c.Out.Quiet, slices.Concat(paths...)...)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	found, inputs := 0, src.List
	for _, names := range paths {
		s, err := readRuns(inputs[:len(names)], opts)
		if err != nil {
			return nil, err
		}
		inputs = inputs[len(names):]
		found += len(s.groups())
		sides = append(sides, s)
	}
	if found == 0 && len(slices.Concat(sides[0].searches...)) == 0 && (c.Analyze.Op != "" || c.Analyze.Host != "") {
		return nil, c.Analyze.Unmatched()
	}
	return sides, nil
}

// warnDuplicate warns of a run that is given as several on one side.
func warnDuplicate(side string, paths []string) []string {
	a, b, found := files.Duplicate(paths)
	if !found {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s and %s are the same run; given twice it only seems to confirm itself", side, a, b)}
}

// maxCompared is the maximum number of recordings as arguments: more cannot be told apart in a chart.
const maxCompared = 8

// files are the recordings of each side: before, and one or several after.
func (c *comparison) files(args []string) (sides [][]string, err error) {
	if c.before == "" && c.after == "" {
		if len(args) < 2 || len(args) > maxCompared {
			return nil, process.UsageError("cmp: want 2 to %d recordings, before and after, or several of each with --before and --after",
				maxCompared)
		}
		for _, name := range args {
			sides = append(sides, []string{name})
		}
		return sides, nil
	}
	if len(args) > 0 || c.before == "" || c.after == "" {
		return nil, process.UsageErrors(option.Errorf("before, after", "want both, and no arguments"))
	}
	sides = [][]string{names(c.before), names(c.after)}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return nil, process.UsageErrors(option.Errorf("before, after", "want at least one recording each"))
	}
	var errs []error
	for i, flag := range []string{"before", "after"} {
		for _, name := range sides[i] {
			_, statErr := os.Stat(name)
			if name != "-" && errors.Is(statErr, fs.ErrNotExist) {
				errs = append(errs, option.Errorf(flag, "%s: %w", name, files.WithoutPath(statErr)))
			}
		}
	}
	return sides, process.UsageErrors(errs...)
}

// names splits a comma separated list.
func names(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// side is the runs before a change, or after it.
type side struct {
	names      []string
	snapshots  []*aggregate.Snapshot
	fine       *aggregate.Snapshot // of a short single run: in shorter segments, see compare.Short; nil if there is none
	infos      []runinfo.Run
	searches   [][]search.Record // of each run
	baselines  []int             // versions; 0: no baseline
	reported   []string          // warnings of each run
	incomplete []string          // which runs are incomplete, and why
}

func readRuns(inputs []recording.Input, opts aggregate.Options) (s side, err error) {
	for _, in := range inputs {
		v, err := reports.Read(opts, in)
		if err != nil {
			return s, err
		}
		s.names = append(s.names, in.Name)
		// Trials of the same number have other loads in each search: their boundaries are compared, not their figures.
		trial := func(phase string) bool { return reports.HidesTrial(v.Searches, phase, true) }
		s.snapshots, s.infos = append(s.snapshots, reports.WithoutPhases(v.Snapshot, trial)), append(s.infos, v.Runs[0])
		s.searches, s.baselines = append(s.searches, v.Searches), append(s.baselines, v.Head.Baseline)
		s.incomplete = append(s.incomplete, v.Incomplete...)
		if len(inputs) == 1 && opts.Segment == 0 && compare.Short(v.Snapshot) {
			fine := opts
			fine.Segment = compare.FineSegment
			v, err := reports.Read(fine, in)
			if err != nil {
				return s, err
			}
			s.fine = reports.WithoutPhases(v.Snapshot, trial)
		}
		s.reported = append(s.reported, runinfo.Prefixed(in.Name, slices.Concat(v.Warnings, v.Snapshot.Warnings))...)
	}
	return s, nil
}

// groups are all kinds of operations of the runs.
func (s *side) groups() (all []*aggregate.Group) {
	for _, snapshot := range s.snapshots {
		all = append(all, snapshot.Groups...)
	}
	return all
}

// warnings are the warnings of each run, and one if the runs did different things, so that they are no sample of one.
func (s *side) warnings(name string) []string {
	return append(runinfo.Prefixed(name, runinfo.OtherParameters(s.infos)), s.reported...)
}

// compare compares the first side with each other one, and reports on that.
func (c *comparison) compare(sides []side, gates rules.Rules) error {
	var docs []report.ComparisonDocument
	var found rules.Rulings
	var warnings []string
	for _, after := range sides[1:] {
		doc, err := c.pair(sides[0], after)
		if err != nil {
			return err
		}
		list := gates.JudgeChange(doc.Comparison, doc.Searches)
		doc.Rulings = list.Reported(nil)
		if len(sides) > 2 {
			list = list.About(after.names[0])
		}
		docs, found, warnings = append(docs, doc), append(found, list...), append(warnings, doc.Warnings...)
	}
	text := func(to io.Writer, opts report.TextOptions) error { return c.text(to, docs, opts) }
	var err error
	switch {
	case c.Analyze.Summary.ReplacesReport(): // is printed below
	case c.Out.JSON:
		err = report.ComparisonJSON(c.Env.Stdout, docs...)
	default:
		err = text(c.Env.Stdout, c.TextOptions(nil, nil))
	}
	if c.Analyze.HTML != "" {
		err = errors.Join(err, c.writeComparison(docs, sides))
	}
	err = errors.Join(err, reports.WriteSummary(&c.Printer, "cmp", found.Reported(nil), unique(warnings),
		func(to io.Writer) error { return text(to, report.TextOptions{}) },
		func(to io.Writer, s report.Summary) error { return report.ComparisonMarkdown(to, s, docs...) }))
	if err != nil {
		return err
	}
	return found.Err()
}

// pair compares two sides.
func (c *comparison) pair(before, after side) (doc report.ComparisonDocument, err error) {
	options := compare.Options{
		Confidence: float64(c.confidence) / 100,
		Threshold:  float64(c.threshold) / 100,
		FineBefore: before.fine,
		FineAfter:  after.fine,
	}
	result, err := compare.Compare(before.snapshots, after.snapshots, options)
	if err != nil {
		return doc, err
	}
	var known bool
	if result.Params, known = runinfo.Differences(before.infos[0], after.infos[0]); !known {
		result.Notes = append(result.Notes,
			"the recordings do not both say with what parameters they were made, so how these differ is not known")
	}
	warnings := append(warnDuplicate("before", before.names), warnDuplicate("after", after.names)...)
	if versions := slices.Concat(before.baselines, after.baselines); slices.Min(versions) != slices.Max(versions) {
		warnings = append(warnings, "the runs are not all of one version of the baseline, so their figures are not comparable")
	}
	doc = documentOf(result, before, after, slices.Concat(warnings, before.warnings("before"), after.warnings("after")))
	doc.Searches = search.Compare(before.searches, after.searches, options)
	if b, a := before.infos[0].Store, after.infos[0].Store; b.Dialect != a.Dialect {
		doc.Remarks = append(doc.Remarks, fmt.Sprintf("The stores differ: %s before, %s after", b.String(), a.String()))
	}
	if b, a, unlike := runinfo.Unlike(before.infos[0], after.infos[0]); unlike {
		doc.Remarks = append(doc.Remarks, fmt.Sprintf("These runs are not comparable: %s and %s", b, a))
	}
	return doc, nil
}

// text prints comparisons, one below the other.
func (c *comparison) text(to io.Writer, docs []report.ComparisonDocument, opts report.TextOptions) error {
	for i := range docs {
		doc := &docs[i]
		if i > 0 {
			if _, err := fmt.Fprintf(to, "\n%s\n\n", strings.Repeat("=", 40)); err != nil {
				return err
			}
		}
		opts.Verbose, opts.Warnings, opts.Form = c.Analyze.Verbose, doc.Warnings, c.Analyze.Form(false)
		opts.Remarks = append(slices.Clone(doc.Remarks), "Before: "+strings.Join(doc.Before, ", "), "After: "+strings.Join(doc.After, ", "))
		if err := report.Comparison(to, doc.Comparison, doc.Searches, opts); err != nil {
			return err
		}
	}
	return nil
}

// unique returns the texts without repetitions, in their order.
func unique(list []string) (once []string) {
	for _, text := range list {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// writeComparison writes a comparison for browsers.
func (c *comparison) writeComparison(docs []report.ComparisonDocument, sides []side) error {
	compared := page.Comparison{Documents: docs}
	for i, name := range namesOfSides(sides) {
		compared.Sides = append(compared.Sides, page.Side{Name: name, Runs: sides[i].snapshots})
	}
	return c.WriteHTML(func(to io.Writer) error { return page.WriteComparison(to, compared) })
}

// namesOfSides are short names for what is compared.
func namesOfSides(sides []side) (list []string) {
	if len(sides) == 2 {
		return []string{"before", "after"}
	}
	for _, s := range sides {
		list = append(list, filepath.Base(s.names[0]))
	}
	if len(unique(list)) < len(list) { // in other directories
		for i, s := range sides {
			list[i] = s.names[0]
		}
	}
	return list
}

// documentOf returns a comparison as JSON has it.
func documentOf(result *compare.Comparison, before, after side, warnings []string) report.ComparisonDocument {
	return report.ComparisonDocument{
		WarpVersion: process.Version(),
		Before:      before.names,
		After:       after.names,
		Warnings:    warnings,
		Comparison:  result,
		Incomplete:  append(append([]string(nil), before.incomplete...), after.incomplete...),
	}
}
