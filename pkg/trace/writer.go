package trace

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Writer writes the compact form: first the sizes of the objects that must exist before the first operation, then the names of all objects
// (or none), then all operations.
type Writer struct {
	out     io.Writer
	enc     *zstd.Encoder
	footer  footer
	objects []byte // of the block
	count   int    // in the block
	text    []byte // names of the block
	named   int    // in the block
	block   blockColumns
	length  int64
	raw     []byte
	packed  []byte
	err     error
}

// blockColumns are the columns of a block of operations.
type blockColumns struct {
	columns [8][]byte
	last    time.Duration
	count   int
}

// newEncoder returns an encoder for the blocks of several writers, which take turns.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(maxBlock), zstd.WithLowerEncoderMem(true))
}

// NewWriter returns a writer to out.
func NewWriter(out io.Writer) (*Writer, error) {
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	return newWriter(out, enc), nil
}

func newWriter(out io.Writer, enc *zstd.Encoder) *Writer {
	w := &Writer{out: out, enc: enc, footer: footer{Version: version}}
	_, w.err = io.WriteString(out, fileMagic)
	w.length = int64(len(fileMagic))
	return w
}

// Object adds the size of the next object that must exist before the first operation.
func (w *Writer) Object(size int64) error {
	w.objects = binary.AppendUvarint(w.objects, uint64(size))
	if w.count++; w.count == PerBlock {
		w.endObjects()
	}
	return w.err
}

func (w *Writer) endObjects() {
	if w.count > 0 {
		w.footer.ObjectEnds = append(w.footer.ObjectEnds, w.put(w.objects))
	}
	w.objects, w.count = w.objects[:0], 0
}

// Name adds the name of the next object, after all sizes.
func (w *Writer) Name(name []byte) error {
	w.endObjects()
	w.text = append(binary.AppendUvarint(w.text, uint64(len(name))), name...)
	if w.named++; w.named == namesPerBlock {
		w.endNames()
	}
	return w.err
}

func (w *Writer) endNames() {
	if w.named > 0 {
		w.footer.NameEnds = append(w.footer.NameEnds, w.put(w.text))
	}
	w.text, w.named = w.text[:0], 0
}

// put writes a block and returns its length.
func (w *Writer) put(block []byte) int64 {
	w.packed = w.enc.EncodeAll(block, w.packed[:0])
	if w.err == nil {
		_, w.err = w.out.Write(w.packed)
	}
	w.length += int64(len(w.packed))
	return int64(len(w.packed))
}

// Operation adds the next operation, after all objects.
func (w *Writer) Operation(o *Operation) error {
	w.endObjects()
	w.endNames()
	b := &w.block
	c := &b.columns
	c[columnTime] = binary.AppendUvarint(c[columnTime], uint64(o.At-b.last))
	c[columnFlags] = append(c[columnFlags], o.flags())
	c[columnObject] = binary.AppendUvarint(c[columnObject], o.Object)
	c[columnSize] = binary.AppendUvarint(c[columnSize], uint64(o.Size+1))
	c[columnDetails] = o.appendDetails(c[columnDetails])
	c[columnStatus] = binary.AppendUvarint(c[columnStatus], uint64(o.Status))
	c[columnLatency] = binary.AppendUvarint(c[columnLatency], o.packedLatency())
	c[columnClient] = binary.AppendUvarint(c[columnClient], uint64(o.Client))
	b.last = o.At
	if b.count++; b.count == PerBlock {
		w.endBlock()
	}
	return w.err
}

// endBlock writes the columns of a block, each after its length. The first time in it counts from the beginning of the trace.
func (w *Writer) endBlock() {
	b := &w.block
	if b.count == 0 {
		return
	}
	w.raw = w.raw[:0]
	for i, column := range b.columns {
		w.raw = append(binary.AppendUvarint(w.raw, uint64(len(column))), column...)
		b.columns[i] = column[:0]
	}
	w.footer.BlockEnds = append(w.footer.BlockEnds, w.put(w.raw))
	b.last, b.count = 0, 0
}

// End completes the file.
func (w *Writer) End(s *Summary) error {
	w.endObjects()
	w.endNames()
	w.endBlock()
	w.footer.Summary = s.withoutNames()
	text, err := json.Marshal(&w.footer)
	if err != nil {
		return err
	}
	at := w.length
	size := w.put(text)
	tail := binary.LittleEndian.AppendUint64(nil, uint64(at))
	tail = binary.LittleEndian.AppendUint64(tail, uint64(size))
	if w.err == nil {
		_, w.err = w.out.Write(append(tail, fileMagic...))
	}
	return w.err
}
