package recording

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// ErrAggregated is the error of NewReader for an aggregated recording (.json.zst), which begins with "{".
var ErrAggregated = errors.New("an aggregated recording (.json.zst) holds statistics, not operations: use the .csv.zst of the run")

// maxWindow bounds the memory that a zstd frame may demand. The frames of MinIO warp need 8 MiB.
const maxWindow = 128 << 20

// input is the text of a recording, decompressed if necessary.
type input struct {
	text    io.Reader
	dec     *zstd.Decoder // nil: plain text
	failure error         // error of the source itself, as opposed to damaged content
}

// newInput detects the format from the first bytes of src.
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
	// One goroutine decompresses: distributing its stages costs more CPU time than it saves, and the other CPUs
	// parse rows.
	in.dec, err = zstd.NewReader(buf, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	in.text = in.dec
	return in, nil
}

// isZstd reports whether magic begins a zstd frame, or a skippable one.
func isZstd(magic []byte) bool {
	switch string(magic[1:]) {
	case "\xb5\x2f\xfd":
		return magic[0] == 0x28
	case "\x2a\x4d\x18":
		return magic[0]&0xf0 == 0x50
	}
	return false
}

// close releases the decoder.
func (in *input) close() {
	if in.dec != nil {
		in.dec.Close()
	}
}

// sourceReader separates errors of the source from those of the decoder.
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

// Input is a recording that can be read several times, from its start.
type Input struct {
	Name string                        // for messages
	Open func() (io.ReadCloser, error) // its errors name the file, as those of os.Open do
}

// Reader opens the recording. Closing the Reader closes the source too.
func (in Input) Reader() (*Reader, error) {
	src, err := in.Open()
	if err != nil {
		return nil, err
	}
	r, err := NewReader(src, in.Name)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	r.closer = src
	return r, nil
}

// Clients makes client names unique over several recordings that may use the same ids: those of the first recording
// stay; an id that an earlier recording has too becomes "id (2)" in the second recording, and so on. The zero value is
// ready for use.
type Clients struct {
	parts []map[string]string // name by id, for each recording
	taken map[string]bool     // names
}

// Name returns the name of a client in recording number part, from 0. New ids must be asked for in the order of
// recordings; known ones in any order.
func (c *Clients) Name(part int, id string) string {
	for part >= len(c.parts) {
		c.parts = append(c.parts, make(map[string]string))
	}
	if name, ok := c.parts[part][id]; ok {
		return name
	}
	if c.taken == nil {
		c.taken = make(map[string]bool)
	}
	name := id
	for n := part + 1; c.taken[name]; n++ {
		name = fmt.Sprintf("%s (%d)", id, n)
	}
	c.taken[name] = true
	c.parts[part][id] = name
	return name
}

// Names returns the names of the clients in recording number part, as far as Name was asked for them, in order.
func (c *Clients) Names(part int) []string {
	if part >= len(c.parts) {
		return nil
	}
	return slices.Sorted(maps.Values(c.parts[part]))
}
