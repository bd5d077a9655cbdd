package reports

import (
	"bytes"
	"errors"
	"io"

	"warp/cli/internal/files"
	"warp/pkg/report"
)

// WriteSummary writes both files. text prints the report in full, and brief its summary.
func WriteSummary(
	p *Printer, command string, rulings []report.Ruling, warnings []string, text func(io.Writer) error,
	brief func(io.Writer, report.Summary) error,
) (err error) {
	s := &p.Analyze.Summary
	if s.Markdown != "" {
		var full bytes.Buffer
		err = text(&full)
		sum := report.Summary{
			Command:  command,
			Rulings:  rulings,
			Warnings: warnings,
			Text:     full.Bytes(),
		}
		if s.ReplacesReport() {
			err = errors.Join(err, brief(p.Env.Stdout, sum))
		} else {
			err = errors.Join(err, files.Write("summary-md", s.Markdown, p.Out.Overwrite, func(to io.Writer) error { return brief(to, sum) }))
		}
	}
	if s.JUnit != "" {
		err = errors.Join(err,
			files.Write("junit", s.JUnit, p.Out.Overwrite, func(to io.Writer) error { return report.JUnit(to, command, rulings) }))
	}
	return err
}
