//go:build unix

package files

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// TestPipes are written to as they are.
func TestPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open("pipe")
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		text, _ := io.ReadAll(f)
		got <- string(text)
	}()
	if err := WriteText("pipe", "text"); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "text" {
		t.Errorf("read %q", text)
	}
	if info, err := os.Lstat("pipe"); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Error("the pipe is replaced")
	}
}
