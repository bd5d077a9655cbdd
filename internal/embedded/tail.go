package embedded

import (
	"bytes"
	"sync"
)

// tailSize is how many bytes of the child's log are kept.
const tailSize = 4 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-tailSize):]...)
	if cut := len(t.buf) - tailSize; cut > 0 {
		t.buf = append(t.buf[:0], t.buf[cut:]...)
	}
	return len(p), nil
}

// String is the end of an error message: what was kept, or nothing.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := bytes.TrimSpace(t.buf)
	if len(b) == 0 {
		return ""
	}
	return "; the end of its log:\n" + string(b)
}
