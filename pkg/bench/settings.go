package bench

import (
	"context"
	"sync"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// maxSettings is of how many objects a data set knows what was set of them, at 40 bytes each.
const maxSettings = 1 << 18

// settings knows what requests set of objects last, so that what the server says of them later can be compared. What it does not know for
// certain it does not say: requests that overlapped, or failed, may have been carried out in any order. A nil *settings knows nothing. It is
// safe for concurrent use.
type settings struct {
	mu sync.Mutex
	of map[uint64]setting
}

// setting is what is known of one object.
type setting struct {
	value   int64
	changes uint32 // requests so far
	pending uint16 // of these, those that have no response yet
	known   bool   // value is what the server must state
	mixed   bool   // requests overlapped
	lost    bool   // nothing is known any more
}

// Setting is what requests set of objects, and read.
type Setting int

// Settings.
const (
	SettingTag  Setting = iota // the number in the one tag of an object; NoTags: it has none
	SettingLock                // the end of a version's lock in seconds since 1970
	SettingHold                // 1: there is a legal hold on a version; 0: there is none

	allSettings
)

// Change performs an operation, which is one request, that sets a value of an object.
func (w *Worker) Change(ctx context.Context, kind op.Kind, o Object, what Setting, value int64, send func(c *s3.Call) error) error {
	return w.Op(ctx, kind, func(rec *op.Op) error {
		return w.settings(what).change(o.Index, value, func() error { return send(w.Object(o, rec)) })
	})
}

// ReadBack performs an operation, which is one request, that reads what Change set. If it is known what the response must state, check
// compares that.
func (w *Worker) ReadBack(ctx context.Context, kind op.Kind, o Object, what Setting, read func(c *s3.Call) error, check func(want int64) error) error {
	return w.Op(ctx, kind, func(rec *op.Op) error {
		was := w.settings(what).last(o.Index)
		if err := read(w.Object(o, rec)); err != nil || !was.still() {
			return err
		}
		return check(was.value)
	})
}

// settings returns what is known of the objects; nil if others may set the same.
func (w *Worker) settings(what Setting) *settings {
	if w.Set.Shared() || w.Set.existing != nil || what == SettingTag && w.Set.rewritten {
		return nil
	}
	return &w.Set.Ledger.settings[what]
}

// change sends a request that sets a value of object i.
func (s *settings) change(i uint64, value int64, send func() error) error {
	s.update(i, func(e *setting) {
		e.changes++
		e.pending++
		e.known, e.mixed = false, e.mixed || e.pending > 1
	})
	err := send()
	s.update(i, func(e *setting) {
		e.pending--
		e.lost = e.lost || err != nil
		if e.pending > 0 {
			return
		}
		e.value, e.known, e.mixed = value, !e.mixed && !e.lost, false
	})
	return err
}

func (s *settings) update(i uint64, change func(*setting)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.of[i]
	if !ok && len(s.of) == maxSettings {
		return
	}
	if s.of == nil {
		s.of = map[uint64]setting{}
	}
	change(&e)
	s.of[i] = e
}

// lastSetting is what was known of an object when a request was about to read it.
type lastSetting struct {
	setting
	settings *settings
	object   uint64
}

// last returns what is known of object i.
func (s *settings) last(i uint64) lastSetting {
	l := lastSetting{settings: s, object: i}
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.setting = s.of[i]
	}
	return l
}

// still reports whether a response that has come since must state the value.
func (l *lastSetting) still() bool {
	if !l.known {
		return false
	}
	now := l.settings.last(l.object)
	return now.known && now.changes == l.changes
}
