package embedded

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// maxWords is how many bytes of a line of the child's log are kept.
const maxWords = 512

// crashLine keeps, of a log that is written to it, the line that best explains why the program ended: the one with which the Go
// runtime reports a crash, since only stacks follow it, else the last one.
type crashLine struct {
	mu    sync.Mutex
	line  []byte // as far as it was written
	last  string
	crash string
}

// Write never fails.
func (w *crashLine) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for part := range bytes.Lines(p) {
		text, ends := bytes.CutSuffix(part, []byte("\n"))
		w.line = append(w.line, text[:min(len(text), maxWords-len(w.line))]...)
		if ends {
			w.end()
		}
	}
	return len(p), nil
}

// end takes the line that is complete.
func (w *crashLine) end() {
	line := strings.TrimSpace(string(w.line))
	w.line = w.line[:0]
	if line == "" {
		return
	}
	w.last = line
	for _, start := range []string{"panic: ", "fatal error: ", "SIG"} {
		if w.crash == "" && strings.HasPrefix(line, start) {
			w.crash = line
		}
	}
}

// forget drops what was written so far.
func (w *crashLine) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line, w.last, w.crash = w.line[:0], "", ""
}

// String is the end of an error message: what was kept, or nothing.
func (w *crashLine) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	words := w.crash
	if words == "" {
		words = w.last
	}
	if words == "" {
		return ""
	}
	return fmt.Sprintf("; its last words: %q", words)
}
