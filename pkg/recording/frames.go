package recording

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"

	"warp/internal/unpack"
)

// file is a source that can be read anywhere.
type file interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// file returns the source and its length if it is a compressed regular file, else nil.
func (r *Reader) file() (file, int64) {
	f, ok := r.src.(file)
	if !ok || r.in.Compression != unpack.Zstd {
		return nil, 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	return f, info.Size()
}

// Frames returns where the frames of the file begin, and its end; each can be decompressed by itself. It reads a few bytes of
// each block of at most 128 KiB of text. It is nil if the source is not a compressed regular file of complete frames.
func (r *Reader) Frames() []int64 {
	f, size := r.file()
	if f == nil {
		return nil
	}
	starts := []int64{0}
	for at := int64(0); at < size; {
		length := frameLength(f, at, size)
		if length <= 0 {
			return nil
		}
		at += length
		starts = append(starts, at)
	}
	return starts
}

// frameLength returns the length of the frame that begins there; 0 if there is no complete one.
func frameLength(f io.ReaderAt, start, size int64) int64 {
	var buf [zstd.HeaderMaxSize]byte
	n, _ := f.ReadAt(buf[:], start)
	var h zstd.Header
	if h.Decode(buf[:n]) != nil {
		return 0
	}
	at := start + int64(h.HeaderSize) + int64(h.SkippableSize)
	for last := h.Skippable; !last; {
		if n, _ := f.ReadAt(buf[:3], at); n < 3 {
			return 0
		}
		block := int64(buf[0]) | int64(buf[1])<<8 | int64(buf[2])<<16
		last = block&1 != 0
		length := block >> 3
		if block>>1&3 == 1 { // one byte, repeated
			length = 1
		}
		at += 3 + length
	}
	if h.HasCheckSum {
		at += 4
	}
	if at > size {
		return 0
	}
	return at - start
}

// Section returns a Reader of frames that begin and end there, as by Frames, which reads the same columns. It expects them to have the
// columns that the recording begins with, and knows nothing of lines before them, so what it returns must be verified.
func (r *Reader) Section(from, to int64) (*Reader, error) {
	f, _ := r.file()
	if f == nil {
		return nil, fmt.Errorf("read recording %s: no part of it can be read by itself", r.name)
	}
	in, err := textOf(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return nil, fmt.Errorf("read recording %s from byte %d: %w", r.name, from, err)
	}
	return &Reader{name: r.name, in: in, lines: newLineReader(in), layout: r.layout, keep: r.keep, parsers: 1}, nil
}
