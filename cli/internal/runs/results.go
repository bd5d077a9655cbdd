package runs

import (
	"errors"
	"fmt"
	"io"

	"warp/cli/internal/files"
	"warp/cli/internal/reports"
	"warp/pkg/script/convert/draft"
)

// results are the result files of a run in the formats of other tools.
type results struct {
	list   []draft.Output
	stdout io.Writer
}

// WriteResults has result files written at the end of the run. Where one goes to standard output, the report goes to standard error.
func (r *reporter) WriteResults(list []draft.Output) {
	r.results = results{list, r.Env.Stdout}
	for _, o := range list {
		if o.Path == files.Stdout {
			env := *r.Env
			env.Stdout, env.TTYOut = env.Stderr, env.TTY
			r.Env = &env
		}
	}
}

// writeResults writes the result files of the recording at path; empty: the run made no recording.
func (r *reporter) writeResults(path string, notice func(string)) (err error) {
	if len(r.results.list) == 0 {
		return nil
	}
	if path == "" {
		return errors.New("the results in another tool's format are not written: they need the recording")
	}
	opts, err := r.Analyze.Options()
	if err != nil {
		return err
	}
	opts.Op, opts.Host, opts.Skip = "", "", 0
	src, err := files.Open(r.Env, true, path)
	if err != nil {
		return err
	}
	defer src.Close()
	v, err := reports.Read(opts, src.List...)
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range r.results.list {
		write := func(to io.Writer) error {
			if o.Format == "" {
				return r.WriteTo(to, v, o.JSON)
			}
			left, err := v.WriteAs(to, o.Format, o.JSON, r.Analyze.Verbose, opts, src.List...)
			if left != "" {
				notice(left)
			}
			return err
		}
		if o.Path == files.Stdout {
			errs = append(errs, write(r.results.stdout))
			continue
		}
		if err := files.Replace(o.Path, o.Append, write); err != nil {
			errs = append(errs, fmt.Errorf("results: %w", err))
		}
	}
	return errors.Join(errs...)
}
