package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// wholeFile is a recording that comes into its place only when it is complete: it is written beside it and renamed. What
// fails or is interrupted leaves nothing, and what was there as it was.
type wholeFile struct {
	*os.File
	path string
	held bool // path is an empty file that keeps the name free
}

// createWhole begins a file; what says of what, for the error. A file that is there already is an error unless overwrite
// is set; another process that wants the same name meanwhile finds one.
func createWhole(what, path string, overwrite bool) (*wholeFile, error) {
	w := &wholeFile{path: path}
	err := checkNew("benchdata", path, overwrite)
	if err != nil {
		return nil, err
	}
	if !overwrite {
		if w.held, err = hold(path); errors.Is(err, fs.ErrExist) {
			return nil, errExists("benchdata", path)
		}
	}
	if err == nil {
		w.File, err = os.OpenFile(path+".part-"+randomID(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		w.release()
		return nil, fmt.Errorf("the %s cannot be written: %w; choose another place with --benchdata", what, err)
	}
	return w, nil
}

// hold makes an empty file; held is false if there is a device or a pipe of that name.
func hold(path string) (held bool, err error) {
	f, made, err := openNew(path, false)
	if err != nil {
		return false, err
	}
	return made, f.Close()
}

// release removes the empty file.
func (w *wholeFile) release() {
	if w.held {
		w.held = false
		_ = os.Remove(w.path)
	}
}

// finish puts the file into its place.
func (w *wholeFile) finish() error {
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.Rename(w.Name(), w.path); err != nil {
		return err
	}
	w.held = false
	return nil
}

// discard removes what is left of the file if it was not finished.
func (w *wholeFile) discard() {
	_ = w.Close()
	_ = os.Remove(w.Name()) // gone already if it was renamed
	w.release()
}
