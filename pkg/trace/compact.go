package trace

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// The compact form is described in docs/trace-format.md.
const (
	fileMagic = "warptrc1"
	// perBlock is how many operations, or objects, a block holds.
	perBlock = 4096
	// namesPerBlock is how many names a block holds: few, since they are read in any order.
	namesPerBlock = 64
	// version is that of files that are written. Files of earlier versions have no uploads in parts, and no details of copies and listings.
	version = 3
	// maxBlock bounds a block before compression.
	maxBlock = perBlock * 64
	// maxFooter bounds the footer.
	maxFooter = 64 << 20
	// maxSummary bounds the footer without the lengths of blocks.
	maxSummary = 8 << 20
	// trailerSize is that of the offset and the length of the footer, and the magic.
	trailerSize = 8 + 8 + len(fileMagic)
)

// Operation is one operation of a file in the compact form.
type Operation struct {
	At      time.Duration // since the begin of the trace
	Kind    op.Kind       // one of Kinds
	Object  uint64        // its number, from 0; that of the prefix of a listing
	Size    int64         // of the object, or of the part of an upload; of a listing, the keys that it asked for or returned; Unknown
	Offset  int64         // of the range that is read or copied; Unknown
	Length  int64         // of the range; 0: all of the object
	Source  int64         // number of the object that is copied; Unknown: the operation is no copy
	Part    int           // number of a part of an upload; 0: unknown
	Listed  Listed
	Status  int           // HTTP status; 0: unknown
	Latency time.Duration // Unknown; in microseconds
	Client  uint32        // number of the one who sent it
	Missing bool          // the object is not there by then: it was deleted, or never written or read
}

// footer is at the end of a file.
type footer struct {
	Version    int      `json:"version"`
	Summary    *Summary `json:"summary"`
	ObjectEnds []int64  `json:"object_blocks"`         // lengths of the blocks of objects, which begin behind the magic
	NameEnds   []int64  `json:"name_blocks,omitempty"` // lengths of those of names, which follow; none: there are no names
	BlockEnds  []int64  `json:"operation_blocks"`      // lengths of those of operations, which follow
}

// writer writes the compact form: the objects that must be there first, the names of all objects, if they are wanted, and all operations.
type writer struct {
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

// Columns of a block.
const (
	columnTime = iota
	columnFlags
	columnObject
	columnSize
	columnDetails
	columnStatus
	columnLatency
	columnClient
)

// Flags of an operation, beside its kind.
const (
	flagKind    = 0x1f
	flagMissing = 0x40
	flagDetails = 0x80
)

// newEncoder returns what compresses the blocks of any number of writers, one after the other.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(maxBlock), zstd.WithLowerEncoderMem(true))
}

func newWriter(out io.Writer, enc *zstd.Encoder) *writer {
	w := &writer{out: out, enc: enc, footer: footer{Version: version}}
	_, w.err = io.WriteString(out, fileMagic)
	w.length = int64(len(fileMagic))
	return w
}

// object adds the next object that must be there before the first operation, by its size.
func (w *writer) object(size int64) error {
	w.objects = binary.AppendUvarint(w.objects, uint64(size))
	if w.count++; w.count == perBlock {
		w.endObjects()
	}
	return w.err
}

func (w *writer) endObjects() {
	if w.count > 0 {
		w.footer.ObjectEnds = append(w.footer.ObjectEnds, w.put(w.objects))
	}
	w.objects, w.count = w.objects[:0], 0
}

// name adds the name of the next object, after all sizes.
func (w *writer) name(name []byte) error {
	w.endObjects()
	w.text = append(binary.AppendUvarint(w.text, uint64(len(name))), name...)
	if w.named++; w.named == namesPerBlock {
		w.endNames()
	}
	return w.err
}

func (w *writer) endNames() {
	if w.named > 0 {
		w.footer.NameEnds = append(w.footer.NameEnds, w.put(w.text))
	}
	w.text, w.named = w.text[:0], 0
}

// put writes a block and returns its length.
func (w *writer) put(block []byte) int64 {
	w.packed = w.enc.EncodeAll(block, w.packed[:0])
	if w.err == nil {
		_, w.err = w.out.Write(w.packed)
	}
	w.length += int64(len(w.packed))
	return int64(len(w.packed))
}

// operation adds the next operation, after all objects.
func (w *writer) operation(o *Operation) error {
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
	if b.count++; b.count == perBlock {
		w.endBlock()
	}
	return w.err
}

// endBlock writes the columns of a block, each with its length before it. The first time in it counts from the begin of the trace.
func (w *writer) endBlock() {
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

// end completes the file.
func (w *writer) end(s *Summary) error {
	w.endObjects()
	w.endNames()
	w.endBlock()
	w.footer.Summary = s.Nameless()
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

// errDamaged is the error of a file that is not as it was written.
var errDamaged = errors.New("the trace is damaged")

// File is a trace in the compact form. Its methods can be used at the same time.
type File struct {
	*Summary
	in      io.ReaderAt
	objects []int64 // where blocks begin, and the end of the last one
	names   []int64
	blocks  []int64
	dec     *zstd.Decoder
}

// IsCompact reports whether a file that begins with these bytes is in the compact form.
func IsCompact(head []byte) bool {
	return len(head) >= len(fileMagic) && string(head[:len(fileMagic)]) == fileMagic
}

// Open opens a file in the compact form. The caller must call Close, which leaves in open.
func Open(in io.ReaderAt, size int64) (*File, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFooter), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	f := &File{in: in, dec: dec}
	if err := f.readFooter(size); err != nil {
		dec.Close()
		return nil, err
	}
	return f, nil
}

// Close releases what the file takes.
func (f *File) Close() { f.dec.Close() }

func (f *File) readFooter(size int64) error {
	head, tail := make([]byte, len(fileMagic)), make([]byte, trailerSize)
	if size < int64(len(head)+len(tail)) {
		return fmt.Errorf("%w: %d bytes", errDamaged, size)
	}
	if _, err := f.in.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := f.in.ReadAt(tail, size-int64(trailerSize)); err != nil {
		return err
	}
	if !IsCompact(head) || !IsCompact(tail[16:]) {
		return fmt.Errorf("%w: it has no end", errDamaged)
	}
	at, length := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:])
	if at > uint64(size) || length > maxFooter || at+length > uint64(size)-uint64(trailerSize) {
		return errDamaged
	}
	text, err := f.read(int64(at), int64(length))
	if err != nil {
		return err
	}
	var end footer
	if int64(len(text)) > maxSummary+size { // a block takes more bytes than its length does in the footer
		return errDamaged
	}
	if err := json.Unmarshal(text, &end); err != nil || end.Summary == nil || end.Version < 1 || end.Version > version {
		return fmt.Errorf("%w: its summary cannot be read", errDamaged)
	}
	f.Summary = end.Summary
	next := int64(len(fileMagic))
	f.objects, next = ends(end.ObjectEnds, next)
	f.names, next = ends(end.NameEnds, next)
	f.blocks, next = ends(end.BlockEnds, next)
	if f.Named() && int64(len(end.NameEnds)) != (f.Objects.Numbers()+namesPerBlock-1)/namesPerBlock {
		return errDamaged
	}
	if err := f.Summary.check(); err != nil {
		return err
	}
	if next != int64(at) || f.Objects.First < 0 || f.Objects.First > f.Objects.Numbers() || blocksOf(f.Objects.First) != len(end.ObjectEnds) || blocksOf(f.Operations) != len(end.BlockEnds) {
		return errDamaged
	}
	return nil
}

// check returns an error for counts that no trace has. They decide how much memory a replay takes, and files come over the network.
func (s *Summary) check() error {
	o := &s.Objects
	switch {
	case s.Operations < 0 || s.Span < 0 || o.Count < 0 || o.Prefixes < 0 || o.First < 0:
	case s.Operations > MaxOperations || o.Count > MaxOperations || o.Prefixes > MaxOperations || o.First > o.Numbers():
	case o.Numbers()-o.First > 2*s.Operations: // a copy has two objects
	default:
		return nil
	}
	return fmt.Errorf("%w: %d operations on %d objects and prefixes, %d of them read first", errDamaged, s.Operations, o.Numbers(), o.First)
}

// MaxOperations is how many operations a trace can have, and how many objects.
const MaxOperations = 1 << 32

// MostBytes returns how long a file in the compact form can be that has the operations and objects of a summary, with names or without.
func (s *Summary) MostBytes(named bool) int64 {
	const perOperation, perNumber = maxBlock / perBlock, binary.MaxVarintLen64
	n := maxFooter + s.Operations*perOperation + s.Objects.Numbers()*perNumber
	if named {
		n += s.Objects.Numbers() * (MaxName + binary.MaxVarintLen16)
	}
	return n + n/64 // what does not compress
}

func blocksOf(n int64) int { return int((n + perBlock - 1) / perBlock) }

// ends returns where blocks begin, and the end of the last one.
func ends(lengths []int64, from int64) (list []int64, end int64) {
	list = append(list, from)
	for _, n := range lengths {
		if n < 1 || n > 1<<40 {
			return list, -1
		}
		from += n
		list = append(list, from)
	}
	return list, from
}

// read returns a decompressed part of the file.
func (f *File) read(at, length int64) ([]byte, error) { return f.readInto(&buffers{}, at, length) }

// buffers are reused by those who read many blocks, one after the other.
type buffers struct{ packed, text []byte }

// readInto is read; what it returns is in the buffers.
func (f *File) readInto(b *buffers, at, length int64) (_ []byte, err error) {
	if length < 0 || length > maxFooter {
		return nil, errDamaged
	}
	b.packed = slices.Grow(b.packed[:0], int(length))[:length]
	if _, err := f.in.ReadAt(b.packed, at); err != nil {
		return nil, err
	}
	if b.text, err = f.dec.DecodeAll(b.packed, b.text[:0]); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return b.text, nil
}
