package trace

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// Temporary is a trace in the compact form that lasts as long as this process: it is in a file without a name.
type Temporary struct {
	*Player // once it is open
	file    *os.File
	out     *bufio.Writer
	size    int64
}

// NewTemporary returns one that is empty: what is written to it is to become a trace in the compact form.
func NewTemporary() (*Temporary, error) {
	f, err := os.CreateTemp("", "warp-trace-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // else when it is closed
	return &Temporary{file: f, out: bufio.NewWriterSize(f, 256<<10)}, nil
}

// Write adds to the file.
func (t *Temporary) Write(b []byte) (int, error) {
	n, err := t.out.Write(b)
	t.size += int64(n)
	return n, err
}

// Flush completes the file, and returns it with its size.
func (t *Temporary) Flush() (io.ReaderAt, int64, error) {
	err := t.out.Flush()
	t.out.Reset(nil) // its memory is not needed any more
	return t.file, t.size, err
}

// Open completes the file, and opens the trace.
func (t *Temporary) Open() error {
	in, size, err := t.Flush()
	if err != nil {
		return err
	}
	f, err := Open(in, size)
	if err == nil {
		t.Player = NewPlayer(f)
	}
	return err
}

// Close closes the trace and removes its file.
func (t *Temporary) Close() error {
	if t.Player != nil {
		t.Player.Close()
	}
	err := t.file.Close()
	if gone := os.Remove(t.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
