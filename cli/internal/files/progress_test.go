package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"warp/cli/internal/process/processtest"
)

// readSome reads n bytes of a recording.
func readSome(t *testing.T, r io.Reader, n int64) {
	t.Helper()
	if _, err := io.CopyN(io.Discard, r, n); err != nil {
		t.Fatal(err)
	}
}

func TestReadProgress(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"a.csv.zst", "b.csv.zst"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100_000), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for _, c := range []struct {
		name            string
		terminal, quiet bool
		wait            time.Duration
		want            string
	}{
		{"pipe", false, false, 5500 * time.Millisecond, "Reading a.csv.zst: 25%\nReading 2 recordings: 50%\n"},
		{"pipe, quick", false, false, 2 * time.Second, ""},
		{"quiet", true, true, 5500 * time.Millisecond, ""},
		{"terminal", true, false, 300 * time.Millisecond, "\rReading a.csv.zst: 25%\x1b[K\rReading 2 recordings: 50%\x1b[K\r\x1b[K"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				env, _ := processtest.Env()
				var screen strings.Builder
				env.Stderr, env.TTY = &screen, c.terminal
				src, err := Open(&env, c.quiet, paths...)
				if err != nil {
					t.Fatal(err)
				}
				open := func(i int) io.ReadCloser {
					f, err := src.List[i].Open()
					if err != nil {
						t.Fatal(err)
					}
					return f
				}
				a := open(0)
				readSome(t, a, 25_000)
				time.Sleep(c.wait)
				synctest.Wait()
				b := open(1)
				readSome(t, a, 25_000)
				readSome(t, b, 50_000)
				time.Sleep(c.wait - 50*time.Millisecond)
				synctest.Wait()
				if err := a.Close(); err != nil {
					t.Error(err)
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
				src.Close()
				if screen.String() != c.want {
					t.Errorf("printed %q, want %q", screen.String(), c.want)
				}
			})
		})
	}
}

// TestReadProgressWithoutSize: nothing can be said about standard input that is a pipe, and nothing keeps running.
func TestReadProgressWithoutSize(t *testing.T) {
	defer goleak.VerifyNone(t)
	env, _ := processtest.Env()
	var screen strings.Builder
	env.Stderr, env.TTY = &screen, true
	src, err := Open(&env, false, os.DevNull, filepath.Join(t.TempDir(), "missing"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := src.List[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	src.Progress.show()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := src.List[1].Open(); !os.IsNotExist(err) {
		t.Errorf("error is %v", err)
	}
	src.Close()
	if screen.String() != "" {
		t.Errorf("printed %q", screen.String())
	}
}

func TestTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a": "one", "b": "two", "copy": "one", "long": "longer", "none": "", "empty": ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pack(t, "a.gz", "one", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	pack(t, "long.zst", "longer", func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	})
	if err := os.Symlink("a", "link"); err != nil {
		t.Skip(err)
	}
	for files, want := range map[string]string{
		"a": "", "a b long": "", "b a copy": "a copy", "a ./a": "a ./a", "b a link": "a link", "missing missing": "", ". .": "", "- -": "", "none empty": "none empty",
		"a.gz a": "a a.gz", "b a.gz long.zst": "", "long.zst a long": "long.zst long",
	} {
		a, b, found := Duplicate(strings.Fields(files))
		if got := strings.TrimSpace(a + " " + b); got != want || found != (want != "") {
			t.Errorf("%s: %q, want %q", files, got, want)
		}
	}
}

// pack writes a compressed file.
func pack(t *testing.T, name, text string, with func(io.Writer) io.WriteCloser) {
	t.Helper()
	var b bytes.Buffer
	w := with(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close(), os.WriteFile(name, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}
