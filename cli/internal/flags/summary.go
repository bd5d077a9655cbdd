package flags

import (
	"errors"

	"warp/cli/internal/files"
)

// Summary name files for CI.
type Summary struct{ Markdown, JUnit string }

// ReplacesReport reports whether the summary is printed in place of the report.
func (s *Summary) ReplacesReport() bool { return s.Markdown == files.Stdout }

// check is files.CheckNew for both files.
func (s *Summary) check(overwrite bool, others ...string) error {
	var errs []error
	if s.Markdown != "" && !s.ReplacesReport() {
		errs = append(errs, files.CheckNew("summary-md", s.Markdown, overwrite, others...))
		others = append(others, s.Markdown)
	}
	if s.JUnit != "" {
		errs = append(errs, files.CheckNew("junit", s.JUnit, overwrite, others...))
	}
	return errors.Join(errs...)
}
