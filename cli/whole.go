package cli

import (
	"fmt"
	"os"
)

// wholeFile is a recording that comes into its place only when it is complete: it is written beside it and renamed. What
// fails or is interrupted leaves nothing, and what was there as it was.
type wholeFile struct {
	*os.File
	path string
}

// createWhole begins a file; what says of what, for the error.
func createWhole(what, path string) (*wholeFile, error) {
	f, err := os.OpenFile(path+".part-"+randomID(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("the %s cannot be written: %w; choose another place with --benchdata", what, err)
	}
	return &wholeFile{f, path}, nil
}

// finish puts the file into its place.
func (w *wholeFile) finish() error {
	if err := w.Close(); err != nil {
		return err
	}
	return os.Rename(w.Name(), w.path)
}

// discard removes what is left of the file if it was not finished.
func (w *wholeFile) discard() {
	_ = w.Close()
	_ = os.Remove(w.Name()) // gone already if it was renamed
}
