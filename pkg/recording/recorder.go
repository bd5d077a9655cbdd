package recording

import (
	"time"

	"warp/pkg/op"
)

// Recorder writes the recording of a run that continues even if writing fails, as when the disk is full. It is an
// op.Sink that never fails: it keeps the first failure, and from then on only counts. It is not safe for concurrent
// use.
type Recorder struct {
	w      *Writer
	onFail func(error)
	failed error
	seen   int64
	first  time.Time
}

// NewRecorder returns a Recorder. onFail is called with the first failure, when it happens; it may be nil.
func NewRecorder(w *Writer, onFail func(error)) *Recorder { return &Recorder{w: w, onFail: onFail} }

// Write records operations.
func (r *Recorder) Write(ops []op.Op) error {
	r.seen += int64(len(ops))
	for i := range ops {
		if r.first.IsZero() || ops[i].Start.Before(r.first) {
			r.first = ops[i].Start
		}
	}
	if r.failed == nil {
		r.note(r.w.Write(ops))
	}
	return nil
}

// Flush makes everything written so far readable.
func (r *Recorder) Flush() error {
	if r.failed == nil {
		r.note(r.w.Flush())
	}
	return nil
}

// Close marks the end of the operations. How the run ended is not known yet: see Finish.
func (r *Recorder) Close() error { return r.Flush() }

// Finish completes the recording with the end comment, unless end is nil, and returns the first failure.
func (r *Recorder) Finish(end any) error {
	if r.failed == nil && end != nil {
		r.note(r.w.SetEnd(end))
	}
	if r.failed == nil {
		r.note(r.w.Close())
	}
	return r.failed
}

func (r *Recorder) note(err error) {
	if err != nil {
		r.failed = err
		if r.onFail != nil {
			r.onFail(err)
		}
	}
}

// Missing returns how many operations are missing in the recording, and how many there were in all.
func (r *Recorder) Missing() (missing, all int64) {
	written := r.w.written.ops
	return r.seen - written, r.seen
}

// Recorded returns the last end in the recording, and the time from the first start to it; zero without operations.
func (r *Recorder) Recorded() (until time.Time, span time.Duration) {
	until = r.w.written.last
	if until.IsZero() {
		return until, 0
	}
	return until, until.Sub(r.first)
}
