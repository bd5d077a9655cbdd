//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"warp/cli/internal/process"
)

// warpProgram returns a path at which this test program is warp.
func warpProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "warp")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInterruptWhileAPipeIsRead: an interrupt ends a command that waits for the end of a pipe, whether a flag or a scenario names it.
func TestInterruptWhileAPipeIsRead(t *testing.T) {
	t.Parallel()
	const scenario = "warp: 1\ndata: {p: {objects: 2}}\nphases: [{run: a, do: [{get: p}], load: {rate: file(pipe)}, until: {ops: 2}}]\n"
	const replayed = "warp: 1\nphases: [{run: a, do: [{replay: pipe}]}]\n"
	for name, args := range map[string][]string{
		"flag":     {"get", "--host=file:pipe"},
		"scenario": {"run", "--allow=files", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b", "a.warp.yaml"},
		"token":    {"client", "--token-file=pipe", "127.0.0.1:0"},
		"convert":  {"script", "convert", "pipe"},
		"trace":    {"trace", "pipe"},
		"replay":   {"replay", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b", "pipe"},
		"replayed": {"run", "--allow=files", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b", "b.warp.yaml"},
		"merge":    {"merge", "--benchdata=merged", "pipe", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pipe := filepath.Join(dir, "pipe")
			err := syscall.Mkfifo(pipe, 0o600)
			for file, text := range map[string]string{"a.warp.yaml": scenario, "b.warp.yaml": replayed} {
				err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(warpProgram(t), args...)
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			opened := make(chan *os.File, 1)
			go func() {
				f, _ := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until warp reads
				opened <- f
			}()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case f := <-opened:
				defer f.Close()
			case err := <-ended:
				t.Fatalf("warp reads no pipe: %v", err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if <-ended; cmd.ProcessState.ExitCode() != process.ExitInterrupted {
				t.Errorf("exit code %d, want %d", cmd.ProcessState.ExitCode(), process.ExitInterrupted)
			}
		})
	}
}
