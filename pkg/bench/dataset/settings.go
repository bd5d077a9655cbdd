package dataset

import (
	"sync"
)

// maxSettings is of how many objects a data set knows what was set of them, at 40 bytes each.
const maxSettings = 1 << 18

// Settings knows what requests set of objects last, so that what the server says of them later can be compared. What it does not know for
// certain it does not say: requests that overlapped, or failed, may have been carried out in any order. A nil *Settings knows nothing. It is
// safe for concurrent use.
type Settings struct {
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

// Kinds of settings.
const (
	SettingTag  Setting = iota // the number in the one tag of an object; NoTags: it has none
	SettingLock                // the end of a version's lock in seconds since 1970
	SettingHold                // 1: there is a legal hold on a version; 0: there is none

	allSettings
)

// Change sends a request that sets a value of object i.
func (s *Settings) Change(i uint64, value int64, send func() error) error {
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

func (s *Settings) update(i uint64, change func(*setting)) {
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

// LastSetting is what was known of an object when a request was about to read it.
type LastSetting struct {
	setting
	settings *Settings
	object   uint64
}

// Last returns what is known of object i.
func (s *Settings) Last(i uint64) LastSetting {
	l := LastSetting{settings: s, object: i}
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.setting = s.of[i]
	}
	return l
}

// Still returns the value that a response which has come since must state; ok is false if it is not known.
func (l *LastSetting) Still() (value int64, ok bool) {
	if !l.known {
		return 0, false
	}
	now := l.settings.Last(l.object)
	return l.value, now.known && now.changes == l.changes
}
