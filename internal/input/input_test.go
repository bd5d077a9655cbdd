package input_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/internal/input"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ text, want, err string }{
		{"", "", ""},
		{"a\n", "a\n", ""},
		{"\ufeff0,50\n", "0,50\n", ""},
		{"\ufeff\ufeffa", "\ufeffa", ""},
		{"12345678", "12345678", ""},
		{"123456789", "", "too long for a text of its kind (want at most 8 bytes)"},
	} {
		path := filepath.Join(dir, "text")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for what, read := range map[string]func() ([]byte, error){
			"file":   func() ([]byte, error) { return input.Read(path, 8) },
			"stream": func() ([]byte, error) { return input.ReadFrom(strings.NewReader(c.text), "stream", 8) },
		} {
			text, err := read()
			if string(text) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s %q is read as %q, %v; want %q, %q", what, c.text, text, err, c.want, c.err)
			}
		}
	}
	if _, err := input.Read(dir, 8); err == nil || !strings.Contains(err.Error(), "is a directory (want a text file)") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := input.Read(filepath.Join(dir, "none"), 8); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// endless never ends.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return len(b), nil
}

func TestEndless(t *testing.T) {
	r := &endless{}
	if _, err := input.ReadFrom(r, "endless", 1000); err == nil || r.read > 1001 {
		t.Errorf("%d bytes read: %v", r.read, err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("no /dev")
	}
	if _, err := input.Read("/dev/zero", 1000); err == nil || !strings.Contains(err.Error(), "is a device") {
		t.Errorf("/dev/zero: %v", err)
	}
	if text, err := input.Read(os.DevNull, 1000); err != nil || len(text) > 0 {
		t.Errorf("the empty device: %q, %v", text, err)
	}
}
