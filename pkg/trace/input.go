package trace

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// maxWindow bounds the memory that a zstd frame may demand.
const maxWindow = 64 << 20

// decompressed returns the text of a file, which may be compressed by gzip, zstd or xz, and what releases it.
func decompressed(src io.Reader) (io.Reader, func(), error) {
	file := &sourceReader{in: src}
	in := bufio.NewReaderSize(file, 128<<10)
	magic, _ := in.Peek(6)
	none := func() {}
	switch {
	case len(magic) >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, none, fmt.Errorf("decompress (gzip): %w", err)
		}
		return &unpacked{z, file}, none, nil
	case len(magic) >= 4 && string(magic[:4]) == "\x28\xb5\x2f\xfd", len(magic) >= 4 && magic[0]&0xf0 == 0x50 && string(magic[1:4]) == "\x2a\x4d\x18":
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, none, fmt.Errorf("decompress (zstd): %w", err)
		}
		return &unpacked{z, file}, z.Close, nil
	case len(magic) == 6 && string(magic) == "\xfd7zXZ\x00":
		z, err := xz.NewReader(in, maxWindow)
		if err != nil {
			return nil, none, fmt.Errorf("decompress (xz): %w", err)
		}
		return &unpacked{z, file}, none, nil
	}
	return in, none, nil
}

// damage is an error of a compressed file that is truncated or damaged. What is before can be read.
type damage struct{ error }

// unpacked tells damage from errors of the source.
type unpacked struct {
	in   io.Reader
	file *sourceReader
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.in.Read(b)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case u.file.failure != nil:
		return n, u.file.failure
	}
	return n, &damage{err}
}

// sourceReader keeps the error of a source.
type sourceReader struct {
	in      io.Reader
	failure error
}

func (s *sourceReader) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if err != nil && err != io.EOF {
		s.failure = err
	}
	return n, err
}
