package files

import (
	"context"
	"io"

	"warp/cli/internal/process"
	"warp/pkg/recording"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
	"warp/pkg/trace/index"
)

// ReadTrace reads and describes files, and writes the compact form to out, which may be nil.
func ReadTrace(
	ctx context.Context, e *process.Env, quiet bool, o formats.Options, s trace.Selection,
	files []string, out io.Writer,
) (*trace.Summary, error) {
	inputs, done, err := traceInputs(e, quiet, files)
	if err != nil {
		return nil, err
	}
	defer done()
	defer LimitGarbage()()
	r, err := formats.NewReader(o, inputs...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return index.Build(ctx, r, s, out)
}

// traceInputs prepares files for reading, with progress; "-" is standard input, which is read only once.
func traceInputs(e *process.Env, quiet bool, files []string) (list []recording.Input, done func(), err error) {
	progress := newReadProgress(e, quiet)
	stdin := false
	for _, path := range files {
		if path != "-" {
			list = append(list, recording.Input{Name: path, Open: func() (io.ReadCloser, error) { return progress.open(path) }})
			continue
		}
		if stdin {
			progress.close()
			return nil, nil, process.UsageError("\"-\" is given twice, but stands for the one standard input")
		}
		stdin = true
		list = append(list, recording.Input{Name: StandardInput, Open: func() (io.ReadCloser, error) { return io.NopCloser(e.Stdin), nil }})
	}
	return list, progress.close, nil
}
