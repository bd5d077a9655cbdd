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

// TestPipes: a pipe is read to its end, but not forever, whether it has a writer or not.
func TestPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) (f *os.File) {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil {
			t.Error(err)
		}
		return f
	}
	go func() { _ = write("\ufeff0,50\n").Close() }()
	if text, err := Read(pipe, 100); string(text) != "0,50\n" || err != nil {
		t.Errorf("a pipe is read as %q, %v", text, err)
	}
	go func() { _ = write("123456789").Close() }()
	if _, err := Read(pipe, 8); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a long text in a pipe: %v", err)
	}

	read := make(chan error, 1)
	late := func() { _, err := readPipe(pipe, 100, time.Millisecond); read <- err }
	const want = "the pipe was not written and closed within 1ms"
	go late()
	if err := <-read; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a pipe that nobody writes: %v, want %q", err, want)
	}
	go late()
	f := write("more") // the readers wait on
	defer f.Close()
	if err := <-read; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a pipe that nobody closes: %v, want %q", err, want)
	}
}
