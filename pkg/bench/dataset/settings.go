package dataset

import (
	"sync"
)

// maxSettings is the largest number of objects with known settings in a data set, at 40 bytes each.
const maxSettings = 1 << 18

// Settings records what requests last set on objects, to compare it with what the server says later. It answers only when it is certain:
// requests that overlapped or failed may have taken effect in any order. A nil *Settings knows nothing. It is safe for concurrent use.
type Settings struct {
	mu sync.Mutex
	of map[uint64]setting
}

type setting struct {
	value   int64
	changes uint32 // requests so far
	pending uint16 // requests without a response yet
	known   bool   // value is what the server must state
	mixed   bool   // requests overlapped
	lost    bool   // nothing is known any more
}

// Setting is a property of objects that requests set and read.
type Setting int

// The settings.
const (
	SettingTag  Setting = iota // the number in the object's only tag; NoTags: it has no tag
	SettingLock                // the end of a version's lock in seconds since 1970
	SettingHold                // 1: a version is under legal hold; 0: it is not

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

// LastSetting is the last known setting of an object, taken before a request reads it.
type LastSetting struct {
	setting
	settings *Settings
	object   uint64
}

// Last returns the last known setting of object i.
func (s *Settings) Last(i uint64) LastSetting {
	l := LastSetting{settings: s, object: i}
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.setting = s.of[i]
	}
	return l
}

// Still returns the value that a response received since must state; ok is false if it is unknown.
func (l *LastSetting) Still() (value int64, ok bool) {
	if !l.known {
		return 0, false
	}
	now := l.settings.Last(l.object)
	return l.value, now.known && now.changes == l.changes
}
