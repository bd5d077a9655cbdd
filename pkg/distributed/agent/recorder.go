package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// recorder writes the recording of a client. It is an op.Sink that never fails: a benchmark goes on when the disk is full, and
// what was recorded until then counts.
type recorder struct {
	path   string
	file   io.WriteCloser
	writer *recording.Writer
	failed error
	seen   atomic.Int64
	onFail func(error)
}

func createFile(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// newRecorder creates the file, named after workload, time and client like those of local runs.
func newRecorder(o *Options, workload, id string, h recording.Header, onFail func(error)) (*recorder, error) {
	name := fmt.Sprintf("warp-%s-%s-%s.csv.zst", workload, clock.Now().Format("2006-01-02[150405]"), id)
	r := &recorder{path: filepath.Join(o.Dir, filepath.Base(name)), onFail: onFail}
	var err error
	if r.file, err = o.create(r.path); err != nil {
		return nil, fmt.Errorf("create the recording: %w", err)
	}
	if r.writer, err = recording.NewWriter(r.file, h); err != nil {
		return nil, errors.Join(err, r.file.Close(), os.Remove(r.path))
	}
	return r, nil
}

// Write records operations.
func (r *recorder) Write(ops []op.Op) error {
	r.seen.Add(int64(len(ops)))
	if r.failed == nil {
		r.check(r.writer.Write(ops))
	}
	return nil
}

// Flush makes the operations so far readable.
func (r *recorder) Flush() error {
	if r.failed == nil {
		r.check(r.writer.Flush())
	}
	return nil
}

// Close ends the operations; finish ends the file.
func (r *recorder) Close() error { return r.Flush() }

func (r *recorder) check(err error) {
	if err != nil {
		r.failed = err
		r.onFail(err)
	}
}

// finish ends the recording with how the run went. Without operations no file is left. Further calls do nothing.
func (r *recorder) finish(end any) {
	if r.file == nil {
		return
	}
	if r.failed == nil {
		r.check(errors.Join(r.writer.SetEnd(end), r.writer.Close()))
	}
	err := r.file.Close()
	r.file = nil
	if r.failed == nil {
		r.check(err)
	}
	if r.seen.Load() == 0 {
		_ = os.Remove(r.path) // at worst an empty recording stays
	}
}

// location is the path of the recording; empty if there is none.
func (r *recorder) location() string {
	if r.seen.Load() == 0 {
		return ""
	}
	if abs, err := filepath.Abs(r.path); err == nil {
		return abs
	}
	return r.path
}

// batchOps is how many operations of a recording are passed on at a time.
const batchOps = 256

// each passes on the operations of the recording, with their times corrected.
func (r *recorder) each(clock protocol.Correction, work *atomic.Uint64, use func([]op.Op) error) (n int64, err error) {
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
		clock.Ops(&o)
		if batch = append(batch, o); len(batch) == batchOps {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	return n, errors.Join(flush(), in.Err())
}

// header returns the header of the recording: the coordinator's description of the run, and which client this is.
func (a *Agent) header(st *protocol.Start, end *runinfo.Clock, corrected bool) (recording.Header, error) {
	config, err := runinfo.OfClient(st.Config, st.Plan, &runinfo.Client{
		ID: st.ID, Host: a.host, Listen: a.Addr().String(), Index: st.Share.Index, Total: st.Share.Total,
		Offset: st.Clock.Offset, RTT: st.Clock.RTT, End: end, Corrected: corrected,
	})
	return recording.Header{Config: config, CommandLine: st.CommandLine}, err
}
