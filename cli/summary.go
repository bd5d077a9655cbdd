package cli

import (
	"bytes"
	"errors"
	"io"

	"warp/pkg/report"
)

// writeSummary writes both files. text prints the report in full, and brief its summary.
func writeSummary(p *printer, command string, rulings []report.Ruling, warnings []string, text func(io.Writer) error, brief func(io.Writer, report.Summary) error) (err error) {
	s := &p.analyze.summary
	if s.markdown != "" {
		var full bytes.Buffer
		err = text(&full)
		sum := report.Summary{Command: command, Rulings: rulings, Warnings: warnings, Text: full.Bytes()}
		if s.replacesReport() {
			err = errors.Join(err, brief(p.env.Stdout, sum))
		} else {
			err = errors.Join(err, writeFile("summary-md", s.markdown, p.out.overwrite, func(to io.Writer) error { return brief(to, sum) }))
		}
	}
	if s.junit != "" {
		err = errors.Join(err, writeFile("junit", s.junit, p.out.overwrite, func(to io.Writer) error { return report.JUnit(to, command, rulings) }))
	}
	return err
}
