// Package unpack reads the text of files that may be compressed, and names what is no text.
package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// Compression is how a file is compressed.
type Compression string

// The compressions that can be read.
const (
	None Compression = ""
	Gzip Compression = "gzip"
	Zstd Compression = "zstd"
	XZ   Compression = "xz"
)

// headSize is how much of a text Head returns: enough to name a file.
const headSize = 4 << 10

// Text is the text of a file.
type Text struct {
	Compression Compression
	text        io.Reader
	file        *file
	release     func()
	head        []byte // read, and not yet returned
	err         error  // what came behind it: an error is not asked for twice, since a decoder might go on
}

// New finds out from the first bytes of a file how it is compressed. Window is the most memory that a compressed file
// may demand. The caller must call Close, which leaves src open.
func New(src io.Reader, window int) (*Text, error) {
	t := &Text{file: &file{in: src}, release: func() {}}
	in := bufio.NewReaderSize(t.file, 128<<10)
	magic, _ := in.Peek(6)
	if t.file.failure != nil {
		return nil, t.file.failure
	}
	t.Compression = compressionOf(magic)
	text, err := io.Reader(in), error(nil)
	switch t.Compression {
	case Gzip:
		text, err = gzip.NewReader(in)
	case XZ:
		text, err = xz.NewReader(in, uint32(window))
	case Zstd:
		// One goroutine decompresses: distributing its stages costs more CPU time than it saves, and the other CPUs parse.
		var dec *zstd.Decoder
		dec, err = zstd.NewReader(in, zstd.WithDecoderMaxWindow(uint64(window)), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err == nil {
			text, t.release = dec, dec.Close
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decompress (%s): %w", t.Compression, err)
	}
	t.text = text
	t.begin()
	return t, nil
}

// Plain returns a text that is not compressed, whatever it begins with.
func Plain(src io.Reader) *Text {
	f := &file{in: src}
	return &Text{text: f, file: f, release: func() {}}
}

// begin reads the head.
func (t *Text) begin() {
	head := make([]byte, headSize)
	n := 0
	for n < len(head) && t.err == nil {
		var m int
		m, t.err = t.text.Read(head[n:])
		n += m
	}
	t.head = head[:n]
}

// compressionOf returns the compression of a file that begins like this.
func compressionOf(magic []byte) Compression {
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return Gzip
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		return XZ
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")),
		len(magic) >= 4 && magic[0]&0xf0 == 0x50 && string(magic[1:4]) == "\x2a\x4d\x18": // a skippable frame
		return Zstd
	}
	return None
}

// Read reads the text.
func (t *Text) Read(b []byte) (int, error) {
	if len(t.head) > 0 {
		n := copy(b, t.head)
		t.head = t.head[n:]
		return n, nil
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.text.Read(b)
	t.err = err
	return n, err
}

// Head returns the beginning of the text, as long as nothing was read of it.
func (t *Text) Head() []byte { return t.head }

// Failure returns the error of the source itself, as opposed to damage to what it contains.
func (t *Text) Failure() error { return t.file.failure }

// Close releases what decompresses.
func (t *Text) Close() { t.release() }

// file keeps the error of a source.
type file struct {
	in      io.Reader
	failure error
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.in.Read(b)
	if err != nil && err != io.EOF {
		f.failure = err
	}
	return n, err
}

// Names of files that are no recordings, but may belong to one.
const (
	HTML    = "an HTML page"
	Parquet = "a Parquet table"
)

// signatures are how files begin that are often mistaken for texts, and what to do with them.
var signatures = []struct{ begins, name string }{
	{"PK\x03\x04", "a ZIP archive: unpack it first"},
	{"PK\x05\x06", "a ZIP archive without files"},
	{"BZh", "compressed with bzip2: decompress it first"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"},
	{"\x04\x22\x4d\x18", "compressed with lz4: decompress it first"},
	{"PAR1", Parquet},
	{"%PDF-", "a PDF document"},
}

// Name returns what a file is that begins like this; empty: it may be a text of any kind.
func Name(head []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.begins)) {
			return s.name
		}
	}
	lower := bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 64)], "\ufeff \t\r\n"))
	switch {
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return HTML
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return "a tar archive: unpack it first"
	}
	return ""
}
