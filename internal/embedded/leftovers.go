package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	dirPrefix = "warp-server-"
	// lockFile lies in a server's directory, locked for as long as the server lives.
	lockFile = "lock"
)

// Leftover is the directory of a server that was killed together with its parent, so that neither could remove it.
type Leftover struct {
	Dir   string
	Bytes int64 // that its files held
}

// removeLeftovers removes what dead servers left below the directories. One that cannot be locked belongs to a server that
// lives, and one without a lock file may: neither is touched.
func removeLeftovers(ctx context.Context, parents []string) (removed []Leftover) {
	for _, parent := range parents {
		entries, _ := os.ReadDir(parent) // one that cannot be read holds nothing that could be removed
		for _, e := range entries {
			dir := filepath.Join(parent, e.Name())
			if ctx.Err() != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), dirPrefix) || !abandoned(dir) {
				continue
			}
			l := Leftover{Dir: dir, Bytes: dirSize(dir)}
			if removeAll(dir, func() {}) == nil {
				removed = append(removed, l)
			}
		}
	}
	return removed
}

// removeAll removes a server's directory, the lock file last: what a removal that is killed leaves can still be recognised.
// release unlocks it before, as some systems remove no file that is open.
func removeAll(dir string, release func()) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	release()
	return os.RemoveAll(dir)
}

// dirSize is how many bytes the files below dir hold, as far as they can be read.
func dirSize(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
