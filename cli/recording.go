package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// recording is the file that a run writes. Nothing is written to it before the first operation: a run that does not get
// so far leaves no file, and one that was there as it was.
type recording struct {
	path   string
	base   string // path without its suffix, for files that lie beside it
	header op.Header
	file   *os.File
	made   bool       // the file was not there before
	writer *op.Writer // nil before the first operation
	count  tally
	bounds *aggregate.Bounds
}

const recordingSuffix = ".csv.zst"

// recordingBase is where to record, without the suffix: as asked for, else by a name made of command, time and client id.
func recordingBase(name, command, client string, now time.Time) string {
	if name == "" {
		name = fmt.Sprintf("warp-%s-%s-%s", command, now.Format("2006-01-02[150405]"), client)
	}
	return strings.TrimSuffix(name, recordingSuffix)
}

// createRecording makes the file of a run.
func createRecording(name, command, client string, now time.Time, h op.Header) (*recording, error) {
	base := recordingBase(name, command, client, now)
	r := &recording{path: base + recordingSuffix, base: base, header: h, bounds: aggregate.NewBounds(aggregate.Options{})}
	_, err := os.Lstat(r.path)
	r.made = errors.Is(err, os.ErrNotExist)
	if r.file, err = os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("the recording cannot be written: %w; choose another place with --benchdata", err)
	}
	return r, nil
}

// Write records operations.
func (r *recording) Write(ops []op.Op) (err error) {
	if r.writer == nil {
		if err := r.begin(); err != nil {
			return err
		}
	}
	r.count.add(ops)
	return errors.Join(r.bounds.Write(ops), r.writer.Write(ops))
}

func (r *recording) begin() (err error) {
	if err := r.file.Truncate(0); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		if info, statErr := r.file.Stat(); statErr == nil && info.Mode().IsRegular() {
			return fmt.Errorf("recording %s: %w", r.path, err)
		}
	}
	if r.writer, err = op.NewWriter(r.file, r.header); err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	return nil
}

// Flush makes what was written so far readable.
func (r *recording) Flush() error {
	if r.writer == nil {
		return nil
	}
	return r.writer.Flush()
}

// Close tells that no more operations come. What is to be said about the run's end is not known yet: see finish.
func (r *recording) Close() error { return r.Flush() }

// finish ends the recording, with how the run went if that is known. It may be called again, and does nothing then.
func (r *recording) finish(end *runEnd) (err error) {
	if r.file == nil {
		return nil
	}
	if r.writer != nil {
		if end != nil {
			end.Windows = r.bounds.Windows()
			err = r.writer.SetEnd(end)
		}
		err = errors.Join(err, r.writer.Close())
	}
	err = errors.Join(err, r.file.Close())
	r.file = nil
	if r.writer == nil && r.made {
		err = errors.Join(err, os.Remove(r.path))
	}
	if err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	return nil
}

// tally counts the operations of the benchmark and those that failed; the preparation does not count. Reports may leave
// operations out, so they cannot tell.
type tally struct{ failed, total int64 }

func (t *tally) add(ops []op.Op) {
	for i := range ops {
		if ops[i].Phase == op.PhasePrepare {
			continue
		}
		t.total++
		if ops[i].Err != "" {
			t.failed++
		}
	}
}
