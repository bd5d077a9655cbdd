package recording

const (
	internRecent  = 16      // texts that an interner finds without a map
	internEntries = 4096    // texts kept by an interner
	internBytes   = 1 << 20 // bytes of text kept by an interner
)

// interner gives the same string for the same bytes, so that a text that comes again and again is kept once. Its memory
// is bounded: error texts with request ids in them are all different. The zero value is ready for use.
type interner struct {
	recent [internRecent]string // by length and last byte, in which names of kinds, hosts and clients mostly differ
	seen   map[string]string
	size   int    // bytes in seen
	last   string // the text that lead gave last
}

// get is b as a string.
func (t *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	slot := &t.recent[(len(b)*7+int(b[len(b)-1]))%internRecent]
	if string(b) == *slot {
		return *slot
	}
	s, ok := t.seen[string(b)]
	if !ok {
		s = string(b)
		t.keep(s)
	}
	*slot = s
	return s
}

// keep remembers s; when there is no more room it forgets everything else first.
func (t *interner) keep(s string) {
	if t.seen == nil {
		t.seen = make(map[string]string)
	}
	if len(t.seen) >= internEntries || t.size+len(s) > internBytes {
		clear(t.seen)
		t.size = 0
	}
	if len(s) <= internBytes {
		t.seen[s] = s
		t.size += len(s)
	}
}
