package recording

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/klauspost/compress/zstd"
)

// trailerBytes is how much of a file's end Trailer reads: a frame of maximum length, badly compressed.
const trailerBytes = 1 << 20

// Trailer returns the end comment without scanning the file: it decompresses only the last frame. It is nil if there is
// none, or if the source is not a compressed regular file. If several recordings are concatenated it is the last one's,
// so callers must verify it against the data.
func (r *Reader) Trailer() json.RawMessage {
	f, size := r.file()
	if f == nil {
		return nil
	}
	tail := make([]byte, min(size, trailerBytes))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return nil
	}
	return lastEnd(lastFrame(tail))
}

// frameMagic begins a zstd frame.
var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// lastFrame returns the text of the last frame in tail; nil if tail does not end with a complete frame.
func lastFrame(tail []byte) []byte {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(4*frameText))
	if err != nil {
		return nil
	}
	defer dec.Close()
	for n := len(tail); ; {
		if n = bytes.LastIndex(tail[:n], frameMagic); n < 0 {
			return nil
		}
		// The magic may also occur within a frame; that does not decompress.
		if text, err := dec.DecodeAll(tail[n:], nil); err == nil {
			return text
		}
	}
}

// lastEnd returns the value of the end comment at the end of text, if there is one.
func lastEnd(text []byte) json.RawMessage {
	text, ok := bytes.CutSuffix(text, newline)
	if !ok {
		return nil
	}
	end, ok := cutMark(text[bytes.LastIndexByte(text, '\n')+1:], markEnd)
	if !ok {
		return nil
	}
	value, _ := keepJSON(end, "end")
	return value
}
