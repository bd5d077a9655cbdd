package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
	"warp/pkg/units"
)

// runFile is the recording of a run. Nothing is written before the run changes its bucket, or has its first operation: one that
// does not get that far leaves an existing file as it was. A new file without operations is removed. If writing fails, the run
// goes on, and finish returns the error.
type runFile struct {
	path   string
	header recording.Header
	file   *os.File
	info   fs.FileInfo         // of file
	made   bool                // the file was not there before
	writer *recording.Recorder // nil until Begin
	onFail func(error)         // called when the recording fails; may be nil
	count  tally
	bounds *aggregate.Bounds
	none   bool            // operations are counted, not recorded
	keep   bool            // a new file stays though it has no operations, for "warp clean"
	lock   *recording.Lock // of the run, while it is under way
}

// RecordingBase returns the path of the recording without its suffix: --benchdata, or else made of command, time and client id, in the
// directory that --benchdata names with a slash at its end. A pipe or a device is refused: a recording is read again, and opening a
// pipe waits for a reader.
func RecordingBase(name, command, client string, now time.Time) (base string, err error) {
	if name == "" || strings.HasSuffix(name, "/") || strings.HasSuffix(name, string(filepath.Separator)) {
		return filepath.Join(name, runinfo.BaseName(command, client, now)), nil
	}
	base = strings.TrimSuffix(name, runinfo.Suffix)
	wrong := func(path string, modes fs.FileMode) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode()&modes != 0
	}
	const pipes = fs.ModeNamedPipe | fs.ModeSocket
	if name == files.Stdout || wrong(name, pipes|fs.ModeDevice) || wrong(base+runinfo.Suffix, pipes) {
		err = process.UsageErrors(option.Invalid("benchdata", name, "a file, or a directory with / at its end; --stress records nothing"))
	}
	return base, err
}

// createRecording makes the file of a run. One that is there already is an error unless overwrite is set.
func createRecording(base string, overwrite bool, h recording.Header, rule aggregate.Rule) (*runFile, error) {
	h.Version = recording.Version
	r := &runFile{path: base + runinfo.Suffix, header: h, bounds: aggregate.NewBounds(runinfo.WithPlans(aggregate.Options{Rule: rule}, h))}
	var err error
	if r.file, r.made, err = files.OpenNew(r.path, overwrite); err == nil {
		r.info, err = r.file.Stat()
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, files.ErrExists("benchdata", r.path)
	case err != nil:
		return nil, fmt.Errorf("the recording cannot be written: %w; choose another place with --benchdata", err)
	}
	if !r.info.Mode().IsRegular() {
		return r, nil
	}
	if r.lock, err = recording.Hold(r.path); err != nil {
		return nil, errors.Join(fmt.Errorf("the recording %s cannot be written: %w; choose another place with --benchdata", r.path, err),
			r.file.Close())
	}
	return r, nil
}

// Write records operations.
func (r *runFile) Write(ops []op.Op) error {
	if r.none {
		r.count.add(ops)
		return nil
	}
	if err := r.Begin(); err != nil {
		return err
	}
	r.count.add(ops)
	return errors.Join(r.bounds.Write(ops), r.writer.Write(ops))
}

// Begin writes the header, unless it is there already: a recording without operations is enough for "warp clean".
func (r *runFile) Begin() error {
	if r.none || r.writer != nil {
		return nil
	}
	if r.info.Mode().IsRegular() {
		if err := r.file.Truncate(0); err != nil {
			return fmt.Errorf("recording %s: %w", r.path, err)
		}
	}
	w, err := recording.NewWriter(r.file, r.header)
	if w == nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	r.writer = recording.NewRecorder(w, r.onFail) // an error of writing comes again with the first operations
	return nil
}

// Flush makes what was written so far readable.
func (r *runFile) Flush() error {
	if r.writer == nil {
		return nil
	}
	return r.writer.Flush()
}

// Close marks the end of the operations; finish writes what the recording states at its end.
func (r *runFile) Close() error { return r.Flush() }

// finish ends the recording, with how the run went if that is known. The error says what the recording lacks. It may be
// called again, and does nothing then.
func (r *runFile) finish(end *runinfo.End) error {
	if r.file == nil {
		return nil
	}
	var err error
	if r.writer != nil {
		var trailer any // not a nil *runinfo.End, which is no nil interface
		if end != nil {
			end.Windows = r.bounds.Windows()
			trailer = end
		}
		err = r.writer.Finish(trailer)
	}
	info, statErr := r.file.Stat()
	empty := r.writer == nil || statErr == nil && info.Size() == 0
	if r.writer != nil {
		_, all := r.writer.Missing()
		empty = empty || all == 0
	}
	closeErr := r.file.Close()
	r.file = nil
	if empty && r.made && !r.keep {
		r.lock.Release() // Windows removes no open file
		closeErr = errors.Join(closeErr, os.Remove(r.path))
	}
	if err == nil {
		err = closeErr
	}
	if err != nil {
		err = fmt.Errorf("recording %s: %w%s", r.path, files.WithoutPath(err), r.missing())
	}
	return err
}

// missing says which part of the run the recording lacks; empty if none.
func (r *runFile) missing() string {
	if r.writer == nil {
		return ""
	}
	missing, all := r.writer.Missing()
	until, span := r.writer.Recorded()
	switch {
	case missing == 0:
		return ""
	case until.IsZero():
		return fmt.Sprintf("; none of the %d operations is recorded", all)
	}
	return fmt.Sprintf("; it ends at %s, %s after the first operation began, and lacks %d of %d operations",
		until.Local().Format("15:04:05"), units.Span(span.Round(100*time.Millisecond)), missing, all)
}

// checkFile is an error unless the file is still the one that was written: it may have been removed or replaced meanwhile.
func (r *runFile) checkFile() error {
	_, all := r.writer.Missing()
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("recording %s: it was removed while the run went on, so none of the %d operations is recorded", r.path, all)
	case err != nil:
		return fmt.Errorf("recording %s: %w", r.path, files.WithoutPath(err))
	case !os.SameFile(info, r.info):
		return fmt.Errorf("recording %s: it was replaced by another file while the run went on, so none of the %d operations is recorded",
			r.path, all)
	}
	return nil
}

// checkCount is an error unless all operations that were written were read; n is how many. The file may have been
// truncated meanwhile.
func (r *runFile) checkCount(n int64) error {
	if _, all := r.writer.Missing(); n != all {
		return fmt.Errorf("recording %s: it was changed while the run went on: only %d of %d operations can be read", r.path, n, all)
	}
	return nil
}

// tally counts the operations of the benchmark and those that failed; preparation and warm-up do not count. Reports may leave
// operations out, so they cannot tell.
type tally struct{ failed, total int64 }

func (t *tally) add(ops []op.Op) {
	for i := range ops {
		if ops[i].Phase == op.PhasePrepare || ops[i].Phase == op.PhaseWarmup {
			continue
		}
		t.total++
		if ops[i].Err != "" {
			t.failed++
		}
	}
}
