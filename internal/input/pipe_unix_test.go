//go:build unix

package input

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newPipe returns the name of a pipe.
func newPipe(t *testing.T) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// fill opens a pipe as soon as there is a reader, and writes to it.
func fill(t *testing.T, name, text string) *os.File {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Error(err)
	}
	return f
}

// TestPipes: a pipe is read to its end.
func TestPipes(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{"\ufeff0,50\n", "0,50\n", ""},
		{"123456789", "", "too long"},
	} {
		pipe, closed := newPipe(t), make(chan struct{})
		go func() { defer close(closed); _ = fill(t, pipe, c.text).Close() }()
		text, err := Read(pipe, 8)
		<-closed
		if string(text) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("a pipe with %q is read as %q, %v; want %q, %q", c.text, text, err, c.want, c.err)
		}
	}
}

// TestEndlessPipes: a pipe is not read forever, whether it has no writer or its writer never closes it.
func TestEndlessPipes(t *testing.T) {
	const want = "the pipe was not written and closed within 1ms"
	for _, written := range []bool{false, true} {
		pipe, read := newPipe(t), make(chan error, 1)
		go func() { _, err := readPipe(pipe, 100, time.Millisecond); read <- err }()
		if written {
			defer fill(t, pipe, "more").Close()
		}
		if err := <-read; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("written %v: %v, want %q", written, err, want)
		}
		if !written {
			_ = fill(t, pipe, "").Close() // ends the reader that is left
		}
	}
}
