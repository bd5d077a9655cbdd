package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"

	"warp/pkg/trace/internal/spill"
)

// nameFile is a temporary file of names, each with the hash of its object.
type nameFile struct {
	file *os.File
	out  *s2.Writer
	in   *bufio.Reader
	line []byte

	hash uint64 // of the name that was read last
	name []byte
}

func newNameFile() (*nameFile, error) {
	f, err := spill.File()
	if err != nil {
		return nil, err
	}
	return &nameFile{file: f, out: s2.NewWriter(f, s2.WriterBlockSize(spillSize), s2.WriterConcurrency(1))}, nil
}

// add writes a name.
func (f *nameFile) add(hash uint64, name []byte) error {
	f.line = binary.AppendUvarint(binary.LittleEndian.AppendUint64(f.line[:0], hash), uint64(len(name)))
	f.line = append(f.line, name...)
	if _, err := f.out.Write(f.line); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	return nil
}

// rewind ends writing, and begins to read.
func (f *nameFile) rewind() error {
	if err := f.out.Close(); err != nil {
		return fmt.Errorf("write temporary file: %w", err)
	}
	f.out = nil
	_, err := f.file.Seek(0, io.SeekStart)
	f.in = bufio.NewReaderSize(s2.NewReader(f.file, s2.ReaderMaxBlockSize(spillSize), s2.ReaderAllocBlock(spillSize)), 16<<10)
	return err
}

// next reads the next name; false at the end.
func (f *nameFile) next() (bool, error) {
	var hash [8]byte
	if _, err := io.ReadFull(f.in, hash[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	f.hash = binary.LittleEndian.Uint64(hash[:])
	n, err := binary.ReadUvarint(f.in)
	if err == nil {
		f.name = slices.Grow(f.name[:0], int(n))[:n]
		_, err = io.ReadFull(f.in, f.name)
	}
	if err != nil {
		return false, fmt.Errorf("read temporary file: %w", err)
	}
	return true, nil
}

// Before reports whether the current name of f comes before that of o.
func (f *nameFile) Before(o *nameFile) bool { return f.hash < o.hash }

// close removes the file.
func (f *nameFile) close() error { return spill.Close(f.file) }

func closeNames(files []*nameFile) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.close())
	}
	return err
}
