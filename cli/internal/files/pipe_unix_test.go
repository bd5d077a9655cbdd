//go:build unix

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"warp/cli/internal/process"
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
	halt(process.ErrInterrupt)
	if err := <-failed; !errors.Is(err, process.ErrInterrupt) {
		t.Errorf("error %v, want %v", err, process.ErrInterrupt)
	}
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the opening, and ends it
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}
