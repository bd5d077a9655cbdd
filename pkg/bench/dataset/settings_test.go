package dataset

import (
	"errors"
	"testing"
)

// TestSettings: nothing is known of what overlapping or failed requests set.
func TestSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(s *tested)
		want int64 // -1: it is not known
	}{
		"nothing": {func(*tested) {}, -1},
		"once":    {func(s *tested) { _ = s.Change(7, 1, nil) }, 1},
		"twice":   {func(s *tested) { _, _ = s.Change(7, 1, nil), s.Change(7, 2, nil) }, 2},
		"another": {func(s *tested) { _ = s.Change(8, 1, nil) }, -1},
		"failed":  {func(s *tested) { _, _ = s.Change(7, 1, errors.New("timeout")), s.Change(7, 2, nil) }, -1},
		"overlapping": {func(s *tested) {
			_ = s.Do(7, 1, func() error { return s.Change(7, 2, nil) })
		}, -1},
		"after they overlapped": {func(s *tested) {
			_ = s.Do(7, 1, func() error { return s.Change(7, 2, nil) })
			_ = s.Change(7, 3, nil)
		}, 3},
	} {
		s := &tested{}
		tc.do(s)
		if got := s.Known(7, func() {}); got != tc.want {
			t.Errorf("%s: %d is known, want %d", name, got, tc.want)
		}
		if got := s.Known(7, func() { _ = s.Change(7, 9, nil) }); got != -1 {
			t.Errorf("%s, changed meanwhile: %d is known", name, got)
		}
	}
}

// tested is what is known of objects.
type tested struct{ Settings }

// Do sets a value of object i by a request.
func (s *tested) Do(i uint64, value int64, send func() error) error {
	return s.Settings.Change(i, value, send)
}

// Change sets a value of object i by a request with an error.
func (s *tested) Change(i uint64, value int64, err error) error {
	return s.Settings.Change(i, value, func() error { return err })
}

// Known returns what a response about object i must state, after what happened meanwhile; -1: it is not known.
func (s *tested) Known(i uint64, meanwhile func()) int64 {
	was := s.Last(i)
	meanwhile()
	if value, known := was.Still(); known {
		return value
	}
	return -1
}
