// Package reports prints the report of a run, and writes it to files, as flags say.
package reports

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/progress"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/report"
)

// Printer prints reports as the flags of a command say.
type Printer struct {
	Env     *process.Env
	Out     flags.Output
	Analyze flags.Analysis
	Views   *progress.Views // may be nil
}

// Print prints a report, and writes the files of --analyze.out and --html.
func (p *Printer) Print(v *Report) error {
	if len(v.Snapshot.Groups) == 0 && (p.Analyze.Op != "" || p.Analyze.Host != "") {
		return p.Analyze.Unmatched()
	}
	var err error
	series := p.Analyze.Out != "" && !v.Live // live statistics have no such series
	if !p.Analyze.Summary.ReplacesReport() && !(series && p.Analyze.Out == files.Stdout) {
		err = p.printReport(v)
	}
	p.Views.Report(pageOf(v))
	if p.Out.JSONFile != "" {
		write := func(to io.Writer) error { return p.WriteTo(to, v, true) }
		err = errors.Join(err, files.OutputError(files.Write("json", p.Out.JSONFile, p.Out.Overwrite, write)))
	}
	if series {
		err = errors.Join(err, p.writeSeries(v.Snapshot))
	}
	if p.Analyze.HTML != "" {
		err = errors.Join(err, p.writePage(v))
	}
	text := func(to io.Writer) error { return p.WriteTo(to, v, false) }
	return errors.Join(err, WriteSummary(p, v.Head.Command, v.Rulings, v.aboveAll(), text,
		func(to io.Writer, s report.Summary) error { return report.Markdown(to, s, v.Snapshot) }))
}

func (p *Printer) printReport(v *Report) error {
	if p.Out.JSON {
		return report.JSON(p.Env.Stdout, document(v))
	}
	o := p.TextOptions(nil, nil)
	o.Form = p.Analyze.Form(p.Env.TTYOut)
	return p.printText(p.Env.Stdout, v, o)
}

// WriteTo writes a report as text or as JSON, without colours.
func (p *Printer) WriteTo(to io.Writer, v *Report, json bool) error {
	if json {
		return report.JSON(to, document(v))
	}
	return p.printText(to, v, report.TextOptions{Location: time.Local})
}

// printText prints the report for people.
func (p *Printer) printText(to io.Writer, v *Report, opts report.TextOptions) error {
	var answer bytes.Buffer
	if err := p.answer(&answer, v, opts); err != nil {
		return err
	}
	baseline, sweeps := p.showsBaseline(v), v.Head.ValidSweeps()
	opts.Verbose, opts.Requests, opts.Histogram = p.Analyze.Verbose, p.Analyze.Requests(), p.Analyze.Histogram
	opts.Remarks = slices.Concat(report.ReplayLines(v.Replays), v.textRemarks(), v.clientLines(p.Analyze.Verbose))
	opts.Title, opts.Answer, opts.Verdict, opts.Next = v.title(), answer.Bytes(), v.verdict(), v.next(opts.Form)
	opts.Warnings, opts.Expected = v.textWarnings(), v.Expected
	opts.Answered = func(phase string) bool { return HidesTrial(v.Searches, phase, true) || isPoint(sweeps, phase) }
	few := *v.Snapshot
	few.Warnings = nil // are in opts
	snapshot := &few
	if !p.Analyze.Verbose && opts.Form != report.Classic {
		snapshot = WithoutPhases(snapshot, func(phase string) bool { return HidesTrial(v.Searches, phase, baseline) || isPoint(sweeps, phase) })
		opts.Partial = len(snapshot.Groups) < len(v.Snapshot.Groups)
	}
	return report.Text(to, snapshot, opts)
}

// showsBaseline reports whether the page of a baseline stands for its searches.
func (p *Printer) showsBaseline(v *Report) bool { return v.Head.Baseline > 0 && !p.Analyze.Verbose }

// answer prints what searches and sweeps found.
func (p *Printer) answer(to io.Writer, v *Report, opts report.TextOptions) error {
	if p.showsBaseline(v) {
		if err := report.Baseline(to, v.Head.Baseline, v.Searches, v.Snapshot, opts); err != nil {
			return err
		}
	} else {
		for i := range v.Searches {
			if err := report.Search(to, &v.Searches[i], v.Snapshot, opts); err != nil {
				return err
			}
		}
	}
	sweeps := v.Head.ValidSweeps()
	for i := range sweeps {
		if err := report.Sweep(to, &sweeps[i], v.Snapshot, opts); err != nil {
			return err
		}
	}
	return nil
}

// TextOptions returns how text is printed to standard output.
func (p *Printer) TextOptions(warnings, remarks []string) report.TextOptions {
	o := report.TextOptions{
		Verbose:  p.Analyze.Verbose,
		Color:    p.Color(p.Env.TTYOut),
		Location: time.Local,
		Warnings: warnings,
		Remarks:  remarks,
	}
	if p.Env.TTYOut {
		o.Width = p.Env.Width()
	}
	return o
}

// Color reports whether to print with colours to a stream that is a terminal or not.
func (p *Printer) Color(tty bool) bool {
	return tty && !p.Out.NoColor && p.Env.Getenv("NO_COLOR") == "" && p.Env.Getenv("TERM") != "dumb"
}

// writeSeries writes the file of --analyze.out.
func (p *Printer) writeSeries(s *aggregate.Snapshot) error {
	if len(s.Groups) == 0 {
		return option.Errorf("analyze.out", "%s: no operations", p.Analyze.Out)
	}
	format, _ := p.Analyze.SeriesFormat()
	if p.Analyze.Out == files.Stdout {
		return report.Series(p.Env.Stdout, s, format, p.Analyze.Verbose)
	}
	return files.Write("analyze.out", p.Analyze.Out, p.Out.Overwrite || p.Analyze.Compat.MinIO(),
		func(to io.Writer) error { return report.Series(to, s, format, p.Analyze.Verbose) })
}
