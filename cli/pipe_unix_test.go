//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInterruptWhileAPipeIsOpened: without a writer a pipe cannot even be opened.
func TestInterruptWhileAPipeIsOpened(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	halted, halt := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() { _, err := openPipe(halted, pipe); failed <- err }()
	halt(errInterrupt)
	if err := <-failed; !errors.Is(err, errInterrupt) {
		t.Errorf("error %v, want %v", err, errInterrupt)
	}
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the opening, and ends it
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}
