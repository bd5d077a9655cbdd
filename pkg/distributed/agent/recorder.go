package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// recorder writes the recording of a client, and reads it again.
type recorder struct {
	*recording.Recorder
	path   string
	file   io.WriteCloser
	lock   *recording.Lock // of the run, while it is under way
	onFail func(error)
	failed error // why the recording is incomplete; set by finish
}

// newRecorder creates the file.
func newRecorder(o *Options, workload, id string, h recording.Header, onFail func(error)) (*recorder, error) {
	name := runinfo.BaseName(filepath.Base(workload), id, clock.Now()) + runinfo.Suffix
	r := &recorder{path: filepath.Join(o.Dir, name), onFail: onFail}
	var err error
	if r.file, err = o.create(r.path); err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	w, err := recording.NewWriter(r.file, h)
	if err != nil {
		return nil, errors.Join(err, r.file.Close(), os.Remove(r.path))
	}
	if r.lock, err = recording.Hold(r.path); err != nil {
		return nil, errors.Join(fmt.Errorf("the recording %s: %w", r.path, err), r.file.Close())
	}
	r.Recorder = recording.NewRecorder(w, onFail)
	return r, nil
}

// finish ends the recording with how the run went. Without operations no file is left. Further calls do nothing.
func (r *recorder) finish(end any) {
	if r.file == nil {
		return
	}
	r.failed = r.Finish(end)
	err := r.file.Close()
	r.file = nil
	if r.failed == nil && err != nil {
		r.failed = err
		r.onFail(err)
	}
	r.lock.Release()
	if r.seen() == 0 {
		_ = os.Remove(r.path) // at worst an empty recording stays
	}
}

// seen is how many operations there were, recorded or not.
func (r *recorder) seen() int64 {
	_, all := r.Missing()
	return all
}

// location is the path of the recording; empty if there is none.
func (r *recorder) location() string {
	if r.seen() == 0 {
		return ""
	}
	if abs, err := filepath.Abs(r.path); err == nil {
		return abs
	}
	return r.path
}

// batchOps is how many operations of a recording are passed on at a time.
const batchOps = 256

// each passes on the operations of the recording that began before a time, if there is one, with their times corrected.
func (r *recorder) each(until time.Time, clock protocol.Correction, work *atomic.Uint64, use func([]op.Op) error) (n int64, err error) {
	f, err := os.Open(r.path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // only read
	in, err := recording.NewReader(f, r.path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	batch := make([]op.Op, 0, batchOps)
	flush := func() error {
		n += int64(len(batch))
		work.Add(uint64(len(batch)))
		err := use(batch)
		batch = batch[:0]
		return err
	}
	for in.Scan() {
		o := *in.Op()
		if !until.IsZero() && !o.Start.Before(until) {
			continue
		}
		clock.Ops(&o)
		if batch = append(batch, o); len(batch) == batchOps {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	return n, errors.Join(flush(), in.Err())
}
