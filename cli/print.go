package cli

import (
	"errors"
	"io"
	"slices"
	"time"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/report"
)

// printer prints reports as the flags of a command say.
type printer struct {
	env     *Env
	out     outputFlags
	analyze analyzeFlags
	views   *views // nil: nobody else is shown the report
}

// print prints a report, and writes the files of --analyze.out and --html.
func (p *printer) print(v *reportView) error {
	if len(v.snapshot.Groups) == 0 && (p.analyze.op != "" || p.analyze.host != "") {
		return p.analyze.unmatched()
	}
	var err error
	series := p.analyze.out != "" && !v.live // live statistics have no such series
	if !p.analyze.summary.replacesReport() && !(series && p.analyze.out == onStdout) {
		err = p.printReport(v)
	}
	p.views.report(pageOf(v))
	if p.out.jsonFile != "" {
		err = errors.Join(err, inOutputs(writeFile("json", p.out.jsonFile, p.out.overwrite, func(to io.Writer) error { return report.JSON(to, document(v)) })))
	}
	if series {
		err = errors.Join(err, p.writeSeries(v.snapshot))
	}
	if p.analyze.html != "" {
		err = errors.Join(err, p.writePage(v))
	}
	text := func(to io.Writer) error { return p.printText(to, v, report.TextOptions{Location: time.Local}) }
	return errors.Join(err, writeSummary(p, v.Head.Command, v.rulings, v.aboveAll(), text, func(to io.Writer, s report.Summary) error { return report.Markdown(to, s, v.snapshot) }))
}

func (p *printer) printReport(v *reportView) error {
	if p.out.json {
		return report.JSON(p.env.Stdout, document(v))
	}
	return p.printText(p.env.Stdout, v, p.textOptions(nil, nil))
}

// printText prints the report for people.
func (p *printer) printText(to io.Writer, v *reportView, opts report.TextOptions) error {
	opts.Verbose, opts.Warnings, opts.Remarks = p.analyze.verbose, v.Warnings, slices.Concat(report.ReplayLines(v.Replays), v.remarks(), v.clientLines(p.analyze.verbose))
	opts.Expected = v.expected
	baseline := v.Head.Baseline > 0 && !p.analyze.verbose
	if baseline {
		if err := report.Baseline(to, v.Head.Baseline, v.Searches, v.snapshot, opts); err != nil {
			return err
		}
	}
	for i := range v.Searches {
		if baseline {
			break // the page has a line for each
		}
		if err := report.Search(to, &v.Searches[i], v.snapshot, opts); err != nil {
			return err
		}
	}
	snapshot, sweeps := v.snapshot, v.Head.ValidSweeps()
	for i := range sweeps {
		if err := report.Sweep(to, &sweeps[i], v.snapshot, opts); err != nil {
			return err
		}
	}
	if !p.analyze.verbose {
		snapshot = withoutPhases(snapshot, func(phase string) bool { return hidesTrial(v.Searches, phase, baseline) || isPoint(sweeps, phase) })
	}
	return report.Text(to, snapshot, opts)
}

func (p *printer) textOptions(warnings, remarks []string) report.TextOptions {
	o := report.TextOptions{Verbose: p.analyze.verbose, Color: p.color(p.env.TTYOut), Location: time.Local, Warnings: warnings, Remarks: remarks}
	if p.env.TTYOut {
		o.Width = p.env.Width()
	}
	return o
}

// color reports whether to print with colours to a stream that is a terminal or not.
func (p *printer) color(tty bool) bool {
	return tty && !p.out.noColor && p.env.Getenv("NO_COLOR") == "" && p.env.Getenv("TERM") != "dumb"
}

// writeSeries writes the file of --analyze.out.
func (p *printer) writeSeries(s *aggregate.Snapshot) error {
	if len(s.Groups) == 0 {
		return option.Errorf("analyze.out", "%s: no operations", p.analyze.out)
	}
	format, _ := report.SeriesFormatOf(p.analyze.out)
	if p.analyze.out == onStdout {
		return report.Series(p.env.Stdout, s, format, p.analyze.verbose)
	}
	return writeFile("analyze.out", p.analyze.out, p.out.overwrite, func(to io.Writer) error { return report.Series(to, s, format, p.analyze.verbose) })
}
