package recording

import (
	"time"

	"warp/pkg/op"
)

// Recorder writes the recording of a run that goes on when the recording cannot be written, as when the disk is full. It
// is a Sink that never fails: it keeps the first failure, and from then on only counts. Its methods are not for several
// goroutines at once.
type Recorder struct {
	w      *Writer
	onFail func(error)
	failed error
	seen   int64
	first  time.Time
}

// NewRecorder makes a Recorder. OnFail is called with the first failure, when it happens; it may be nil.
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

// Flush makes what was written so far readable.
func (r *Recorder) Flush() error {
	if r.failed == nil {
		r.note(r.w.Flush())
	}
	return nil
}

// Close marks the end of the operations. How the run ended is not known yet: see Finish.
func (r *Recorder) Close() error { return r.Flush() }

// Finish ends the recording with how the run went, unless end is nil, and returns the first failure of all.
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

// Missing is how many operations are not in the recording, of how many in all.
func (r *Recorder) Missing() (missing, all int64) {
	written, _ := r.w.Written()
	return r.seen - written, r.seen
}

// Recorded is how long the recording goes on after the start of the first operation, and when it ends; zero if no
// operation was written.
func (r *Recorder) Recorded() (until time.Time, span time.Duration) {
	_, until = r.w.Written()
	if until.IsZero() {
		return until, 0
	}
	return until, until.Sub(r.first)
}
