package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
)

// ErrInUse means that the run of a recording is under way, on this machine.
var ErrInUse = errors.New("its run is under way")

// Lock says that the run of a recording is under way, until it is released or the process ends, however it does. Where files cannot be
// locked it is nil, which has no place.
type Lock struct{ file *os.File }

// Hold locks a recording while its run goes on. Another process that holds it is ErrInUse.
func Hold(path string) (*Lock, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close() // only read
		if errors.Is(err, ErrInUse) {
			return nil, err
		}
		return nil, nil //nolint:nilnil // nothing is held
	}
	return &Lock{f}, nil
}

// Release says that the run is over. Further calls do nothing.
func (l *Lock) Release() {
	if l != nil {
		_ = l.file.Close() // only read
	}
}

// Place is the Place of the recording, so that a claim tells "warp clean" whose lock to look at; empty if nothing is held.
func (l *Lock) Place() string {
	if l == nil {
		return ""
	}
	return Place(l.file.Name())
}

// InUse reports whether a process of this machine holds a recording.
func InUse(path string) bool {
	held, err := Hold(path)
	held.Release()
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
