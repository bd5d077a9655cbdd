package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"warp/cli/internal/process"
)

// TestNothingIsReplaced unless that is wanted, and never what is read.
func TestNothingIsReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"full": "x", "empty": "", "other": "y"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir("dir", 0o700), os.Link("full", "linked")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path      string
		overwrite bool
		others    []string
		refused   bool
	}{
		{"full", false, nil, true},
		{"full", true, nil, false},
		{"full", true, []string{"other", "linked"}, true},
		{"./full", true, []string{"full"}, true},
		{"empty", false, []string{"full"}, false},
		{"empty", true, []string{"empty"}, true},
		{"new", false, []string{"full"}, false},
		{"new", false, []string{"dir/../new"}, true},
		{"dir", true, nil, true},
		{"nodir/new", true, nil, true},
		{os.DevNull, false, []string{os.DevNull + "x"}, false},
	} {
		if err := CheckNew("flag", filepath.FromSlash(c.path), c.overwrite, c.others...); (process.ExitCode(err) == process.ExitUsage) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A trace comes into its place like a recording: a device is written and not replaced, and others may read the file.
func TestTraceInItsPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink(os.DevNull, "null"); err != nil {
		t.Skip(err)
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "trace")
		return err
	}
	for _, name := range []string{"null", "file"} {
		if err := Write("out", name, false, write); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Lstat("null"); err != nil || info.Mode().IsRegular() {
		t.Errorf("the device was replaced: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile("other", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	usual, err := os.Stat("other")
	if info, statErr := os.Stat("file"); statErr != nil || err != nil || info.Mode() != usual.Mode() {
		t.Errorf("%v, want %v", info.Mode(), usual.Mode())
	}
	failed := errors.New("no trace")
	if err := Write("out", "none", false, func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 3 {
		t.Errorf("left are %v, %v", left, err)
	}
}
