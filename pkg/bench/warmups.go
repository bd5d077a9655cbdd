package bench

import (
	"fmt"
	"time"

	"warp/pkg/units"
)

// warmups is the warm-ups of a run, which one note describes.
type warmups struct {
	phases     int
	operations uint64
	length     time.Duration // 0: they differ
	first      string        // name of the first phase with one; may be empty
	note       int           // index
}

// noteWarmup adds the warm-up of a stream to the note.
func noteWarmup(r *Run, s *streamRun, name string) {
	if s.stats.Warmup == 0 {
		return
	}
	w := &r.warmups
	if w.phases == 0 {
		w.length, w.first, w.note = s.Warmup, name, len(r.result.Notes)
		r.result.Notes = append(r.result.Notes, "")
	}
	if w.length != s.Warmup {
		w.length = 0
	}
	w.phases++
	w.operations += s.stats.Warmup
	r.result.Notes[w.note] = w.String()
}

// String returns the note.
func (w *warmups) String() string {
	text := ""
	if w.phases == 1 && w.first != "" {
		text = w.first + ": "
	}
	text += "warm-up"
	if w.length > 0 {
		text += " of " + units.Span(w.length)
	}
	if w.phases > 1 {
		text += fmt.Sprintf(" in %d phases", w.phases)
	}
	return text + ": " + units.Plural(int64(w.operations), "operation") + ", in no figure"
}
