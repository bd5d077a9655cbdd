package recording

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

// endingBytes is how much of a file's end Ending looks at: a frame of the greatest length, compressed badly.
const endingBytes = 1 << 20

// Ending is what End will be, looked up at the end of the file before the recording is read, so that it costs next to
// nothing. Nil if there is none, or r was made of something other than a file that is compressed. Of several recordings in
// one file it is the last one's, so whoever relies on it has to check it when everything was read.
func (r *Reader) Ending() json.RawMessage {
	f, ok := r.src.(interface {
		io.ReaderAt
		Stat() (fs.FileInfo, error)
	})
	if !ok || r.in.dec == nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	tail := make([]byte, min(info.Size(), endingBytes))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return nil
	}
	return lastEnd(lastFrame(tail))
}

// frameMagic begins a zstd frame.
var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// lastFrame is the text of the last frame in tail, with which a file ends; nil if it does not end with a whole one.
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
		// The magic may also occur in what a frame holds: that does not decompress.
		if text, err := dec.DecodeAll(tail[n:], nil); err == nil {
			return text
		}
	}
}

// lastEnd is what the end comment says with which text ends, if it does.
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
