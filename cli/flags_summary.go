package cli

import "errors"

// summaryFlags name files for CI.
type summaryFlags struct{ markdown, junit string }

// replacesReport reports whether the summary is printed in place of the report.
func (s *summaryFlags) replacesReport() bool { return s.markdown == onStdout }

// check is checkNew for both files.
func (s *summaryFlags) check(overwrite bool, others ...string) error {
	var errs []error
	if s.markdown != "" && !s.replacesReport() {
		errs = append(errs, checkNew("summary-md", s.markdown, overwrite, others...))
		others = append(others, s.markdown)
	}
	if s.junit != "" {
		errs = append(errs, checkNew("junit", s.junit, overwrite, others...))
	}
	return errors.Join(errs...)
}
