package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// ErrInUse means that the run of a recording is under way, on this machine.
var ErrInUse = errors.New("its run is under way")

// Hold holds a recording while its run goes on, until it is closed or the process ends, however it does. Another process that holds it is ErrInUse. Where
// files cannot be locked, nothing is held.
func Hold(path string) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close() // only read
		if errors.Is(err, ErrInUse) {
			return nil, err
		}
		return nil, nil //nolint:nilnil // there is nothing to close
	}
	return f, nil
}

// InUse reports whether a process of this machine holds a recording.
func InUse(path string) bool {
	held, err := Hold(path)
	if held != nil {
		_ = held.Close() // only read
	}
	return errors.Is(err, ErrInUse)
}

// Place returns what tells the place of a recording from others, on all machines, without a word of its path; empty if that is not known.
func Place(path string) string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(host + "\x00" + abs))
	return hex.EncodeToString(sum[:12])
}
