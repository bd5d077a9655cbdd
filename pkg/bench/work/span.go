package work

import "time"

// span is the time that operations took together.
type span struct{ from, first, to time.Time }

// add extends the span.
func (s *span) add(o span) {
	if s.from.IsZero() || !o.from.IsZero() && o.from.Before(s.from) {
		s.from = o.from
	}
	if s.first.IsZero() || !o.first.IsZero() && o.first.Before(s.first) {
		s.first = o.first
	}
	if o.to.After(s.to) {
		s.to = o.to
	}
}
