package observe

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// fileLimit is the maximum number of bytes read from a file. The longest, /proc/net/dev, has some 120 bytes per
// interface.
const fileLimit = 1 << 20

// files reads the small files under /proc and /sys.
type files struct {
	root string // empty is /
	buf  []byte
}

// read returns the content of a file, valid until the next read.
func (f *files) read(name string) ([]byte, error) {
	file, err := os.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written that could be lost
	if f.buf == nil {
		f.buf = make([]byte, 8<<10)
	}
	n := 0
	for n < fileLimit {
		if n == len(f.buf) {
			f.buf = append(f.buf, make([]byte, len(f.buf))...)
		}
		m, err := file.Read(f.buf[n:])
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return f.buf[:n], nil
}

func (f *files) exists(name string) bool {
	_, err := os.Stat(f.path(name))
	return err == nil
}

func (f *files) path(name string) string {
	if f.root == "" {
		return name
	}
	return filepath.Join(f.root, filepath.FromSlash(name))
}

// parseNumber parses a decimal number, surrounded by optional white space.
func parseNumber(b []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// span64 returns n units, or the longest duration if that overflows.
func span64(n uint64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/uint64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}
