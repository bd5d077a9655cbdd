package trace

import (
	"bufio"
	"io"
	"os"

	"warp/pkg/trace/internal/spill"
)

// TempFile is a trace in the compact form, in a file without a name that lasts no longer than the process.
type TempFile struct {
	*Player // once it is open
	file    *os.File
	out     *bufio.Writer // nil: the file is complete
	size    int64
}

// NewTempFile returns an empty file, for the compact form to be written to.
func NewTempFile() (*TempFile, error) {
	f, err := spill.File()
	if err != nil {
		return nil, err
	}
	return &TempFile{file: f, out: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Write adds to the file.
func (t *TempFile) Write(b []byte) (int, error) {
	n, err := t.out.Write(b)
	t.size += int64(n)
	return n, err
}

// Finish ends writing, and returns the file with its size.
func (t *TempFile) Finish() (io.ReaderAt, int64, error) {
	err := t.out.Flush()
	t.out = nil // and its memory
	return t.file, t.size, err
}

// Open ends writing, and opens the trace.
func (t *TempFile) Open() error {
	in, size, err := t.Finish()
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
func (t *TempFile) Close() error {
	if t.Player != nil {
		t.Player.Close()
	}
	return spill.Close(t.file)
}
