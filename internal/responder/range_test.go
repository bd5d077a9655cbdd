package responder

import "testing"

func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"bytes=0-1", "bytes=-5", "bytes=5-", "bytes=9-1", "x", "bytes=-", "bytes=-0", "bytes=--1"} {
		f.Add(s, int64(10))
	}
	f.Fuzz(func(t *testing.T, s string, size int64) {
		size = max(size, 0)
		from, length, ok := ParseRange(s, size)
		if ok && (from < 0 || length <= 0 || from+length > size) {
			t.Errorf("%q of %d: %d+%d", s, size, from, length)
		}
	})
}
