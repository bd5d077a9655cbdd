package recording

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// ErrAggregated is what NewReader answers to an aggregated recording (.json.zst), which begins with "{".
var ErrAggregated = errors.New("an aggregated recording (.json.zst) holds statistics, not operations: give the .csv.zst of the run")

// maxWindow is the most memory that a zstd frame may ask for. The established tool's frames ask for 8 MiB.
const maxWindow = 128 << 20

// input is the text of a recording, decompressed if need be.
type input struct {
	text    io.Reader
	dec     *zstd.Decoder // nil: the input is plain text
	failure error         // of the source itself, as opposed to damage in what it holds
}

// newInput looks at the first bytes of src.
func newInput(src io.Reader) (*input, error) {
	in := &input{}
	buf := bufio.NewReaderSize(sourceReader{src, in}, 128<<10)
	magic, err := buf.Peek(4)
	switch {
	case in.failure != nil:
		return nil, in.failure
	case len(magic) == 0:
		return nil, errors.New("the file is empty")
	case err != nil || !isZstd(magic):
		in.text = buf
		return in, nil
	}
	// One goroutine decompresses: handing its stages to several costs more processor time than it saves, and the
	// others have rows to parse.
	in.dec, err = zstd.NewReader(buf, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	in.text = in.dec
	return in, nil
}

// isZstd tells whether magic begins a zstd frame, or a skippable one.
func isZstd(magic []byte) bool {
	switch string(magic[1:]) {
	case "\xb5\x2f\xfd":
		return magic[0] == 0x28
	case "\x2a\x4d\x18":
		return magic[0]&0xf0 == 0x50
	}
	return false
}

// close frees the decoder.
func (in *input) close() {
	if in.dec != nil {
		in.dec.Close()
	}
}

// sourceReader keeps the source's own errors apart from those that the decoder makes of its content.
type sourceReader struct {
	src io.Reader
	in  *input
}

func (s sourceReader) Read(b []byte) (int, error) {
	n, err := s.src.Read(b)
	if err != nil && err != io.EOF {
		s.in.failure = err
	}
	return n, err
}
