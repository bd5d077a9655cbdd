package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"warp/internal/option"
	"warp/pkg/runinfo"
)

// Atomic is written under a temporary name in the same directory, and renamed when it is complete. Until then an
// older file of that name stays as it is. Devices, pipes and files that cannot be replaced are written directly.
type Atomic struct {
	*os.File
	path string // where it belongs
	part string // where it is until then; empty: it is written to directly
	held bool   // path is an empty file that keeps the name free
}

// beginAtomic begins a file, whatever is there.
func beginAtomic(path string) (*Atomic, error) {
	path = resolveLink(path)
	w := &Atomic{path: path}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() || ofSystem(path) {
		w.File, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		return w, err
	}
	exists := err == nil
	w.part = path + ".part-" + runinfo.NewID()
	w.File, err = os.OpenFile(w.part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil && exists:
		_ = w.Chmod(info.Mode().Perm()) // of file systems without modes none is lost
	case err != nil && exists && errors.Is(err, fs.ErrPermission): // only the file itself may be written
		w.part = ""
		w.File, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	}
	return w, err
}

// ofSystem reports whether a path is one of those that stand for open files and devices.
func ofSystem(path string) bool {
	for _, dir := range []string{"/dev/", "/proc/"} {
		if strings.HasPrefix(filepath.ToSlash(path), dir) {
			_, err := os.Stat(path)
			return err == nil
		}
	}
	return false
}

// resolveLink returns the file that a symbolic link leads to, so that the link stays.
func resolveLink(path string) string {
	if ofSystem(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if to, err := os.Readlink(path); err == nil { // to a file that is not there yet
		if filepath.IsAbs(to) {
			return to
		}
		return filepath.Join(filepath.Dir(path), to)
	}
	return path
}

// Create begins the file that a flag names; what says of what, for the error. A file that is there already is an error unless
// overwrite is set; another process that wants the same name meanwhile finds one.
func Create(flag, what, path string, overwrite bool) (w *Atomic, err error) {
	if err := CheckNew(flag, path, overwrite); err != nil {
		return nil, err
	}
	held := false
	if !overwrite {
		if held, err = hold(path); errors.Is(err, fs.ErrExist) {
			return nil, ErrExists(flag, path)
		}
	}
	if err == nil {
		if w, err = beginAtomic(path); err == nil {
			w.held = held
			return w, nil
		}
	}
	(&Atomic{path: path, held: held}).release()
	return nil, fmt.Errorf("the %s cannot be written: %w; choose another place with --%s", what, err, flag)
}

// hold makes an empty file; held is false if there is a device or a pipe of that name.
func hold(path string) (held bool, err error) {
	f, made, err := OpenNew(path, false)
	if err != nil {
		return false, err
	}
	return made, f.Close()
}

// release removes the empty file.
func (w *Atomic) release() {
	if w.held {
		w.held = false
		_ = os.Remove(w.path)
	}
}

// Commit puts the file into its place.
func (w *Atomic) Commit() error {
	if err := w.Close(); err != nil {
		return err
	}
	if w.part == "" {
		return nil
	}
	err := os.Rename(w.part, w.path)
	if errors.Is(err, syscall.EBUSY) { // a file that is mounted has its place for good
		err = w.overwrite()
	}
	if err != nil {
		return err
	}
	w.part, w.held = "", false
	return nil
}

// overwrite replaces the contents of a file that cannot be replaced itself.
func (w *Atomic) overwrite() error {
	from, err := os.Open(w.part)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read
	to, err := os.OpenFile(w.path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		_ = os.Remove(w.part)
	}
	return err
}

// Discard removes what is left of the file if it was not finished.
func (w *Atomic) Discard() {
	_ = w.Close()
	if w.part != "" {
		_ = os.Remove(w.part)
	}
	w.release()
}

// Write writes a file that a flag, or a key of a scenario, names. It comes into its place when it is complete. An error of the file
// names both; others are returned as they are.
func Write(name, path string, overwrite bool, write func(io.Writer) error) error {
	check := func() error { return CheckNew(name, path, overwrite) } // it may have come up meanwhile
	if err := check(); err != nil {
		return err
	}
	return writeWhole(path, write, check, func(err error) error { return option.Wrap(name, err) })
}

// WriteText writes a file that may be there already.
func WriteText(path, text string) error {
	return Replace(path, false, func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return err
	})
}

// Replace writes a file that may be there already; more keeps what a regular one holds, and writes behind it.
func Replace(path string, more bool, write func(io.Writer) error) error {
	whole := func(to io.Writer) error {
		if info, err := os.Stat(path); more && err == nil && info.Mode().IsRegular() {
			from, err := os.Open(path)
			if err != nil {
				return err
			}
			_, err = io.Copy(to, from)
			if err = errors.Join(err, from.Close()); err != nil {
				return err
			}
		}
		return write(to)
	}
	return writeWhole(path, whole, func() error { return nil }, func(err error) error { return err })
}

// writeWhole writes a file. Check is asked right before it comes into its place; wrap makes of errors of the file what is returned.
func writeWhole(path string, write func(io.Writer) error, check func() error, wrap func(error) error) error {
	failed := func(err error) error { return wrap(fmt.Errorf("%s: %w", path, WithoutPath(err))) }
	f, err := beginAtomic(path)
	if err != nil {
		return failed(err)
	}
	defer f.Discard()
	out := bufio.NewWriterSize(f, 256<<10)
	wrong := write(out)
	if err := out.Flush(); err != nil {
		return failed(err)
	}
	if wrong != nil {
		return wrong
	}
	if f.part != "" {
		if err := check(); err != nil {
			return err
		}
	}
	if err := f.Commit(); err != nil {
		return failed(err)
	}
	return nil
}
