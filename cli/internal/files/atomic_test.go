package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/cli/internal/process"
)

// left returns the files of the present directory with their contents.
func left(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		text, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Name()+"="+string(text))
	}
	return strings.Join(list, " ")
}

// TestFilesAreWhole: an output that cannot be written to its end leaves nothing under its name, and what was there stays.
func TestFilesAreWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("old", []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("no space left on device")
	part := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20)) // more than is kept in memory
		return errors.Join(err, fault)
	}
	for _, name := range []string{"old", "new"} {
		if err := Write("html", name, true, part); !errors.Is(err, fault) {
			t.Errorf("%s: %v", name, err)
		}
		if err := WriteText(filepath.Join("nodir", name), "text"); err == nil {
			t.Errorf("%s is written into a directory that is not there", name)
		}
	}
	if got := left(t); got != "old=before" {
		t.Errorf("left are %s", got)
	}
	text := func(w io.Writer) error { _, err := io.WriteString(w, "after"); return err }
	if err := Write("html", "old", false, text); process.ExitCode(err) != process.ExitUsage {
		t.Errorf("replaced without --overwrite: %v", err)
	}
	taken := func(w io.Writer) error { return errors.Join(text(w), os.WriteFile("new", []byte("of another"), 0o600)) }
	if err := Write("html", "new", false, taken); process.ExitCode(err) != process.ExitUsage {
		t.Errorf("replaced what came up meanwhile: %v", err)
	}
	if got := left(t); got != "new=of another old=before" {
		t.Errorf("left are %s", got)
	}
	for _, name := range []string{"old", "new", "newer"} {
		if err := Write("html", name, true, text); err != nil {
			t.Error(err)
		}
	}
	if got := left(t); got != "new=after newer=after old=after" {
		t.Errorf("left are %s", got)
	}
	if info, err := os.Stat("old"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of a file that is replaced is lost: %v, %v", info.Mode(), err)
	}
}

// TestFullFile: an error that the system reports at the end of a file names the flag and the file.
func TestFullFile(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no device that is full")
	}
	err := Write("html", "/dev/full", false, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
	if want := "--html: /dev/full: no space left on device"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLinksStay: a link is not replaced by a file, nor are devices.
func TestLinksStay(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Symlink("real", "link"), os.Symlink(os.DevNull, "null")); err != nil {
		t.Skip(err) // Windows wants a right for it
	}
	for _, text := range []string{"one", "two"} {
		for _, name := range []string{"link", "null", os.DevNull} {
			if err := WriteText(name, text); err != nil {
				t.Error(err)
			}
		}
		if got := left(t); got != "link="+text+" null= real="+text {
			t.Errorf("left are %s", got)
		}
	}
	for _, name := range []string{"link", "null"} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
}
