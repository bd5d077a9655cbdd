package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Blocks returns the number of blocks of operations. All but the last have PerBlock operations.
func (f *File) Blocks() int { return len(f.blocks) - 1 }

// Block appends the operations of a block to list, in order of time.
func (f *File) Block(k int, list []Operation) ([]Operation, error) {
	return f.block(&buffers{}, k, list)
}

// block is Block with buffers that are reused.
func (f *File) block(b *buffers, k int, list []Operation) ([]Operation, error) {
	text, err := f.readInto(b, f.blocks[k], f.blocks[k+1]-f.blocks[k])
	if err != nil {
		return nil, err
	}
	var c [8]column
	for i := range c {
		n, size := binary.Uvarint(text)
		if size <= 0 || n > uint64(len(text)-size) {
			return nil, errDamaged
		}
		c[i].rest, text = text[size:size+int(n)], text[size+int(n):]
	}
	at := uint64(0)
	count := min(f.Operations-int64(k)*PerBlock, PerBlock)
	if int64(len(c[columnFlags].rest)) != count {
		return nil, errDamaged
	}
	for _, flags := range c[columnFlags].rest {
		at += c[columnTime].next()
		o := Operation{
			At:      time.Duration(at),
			Object:  c[columnObject].next(),
			Size:    int64(c[columnSize].next()) - 1,
			Status:  int(c[columnStatus].next()),
			Client:  uint32(c[columnClient].next()),
			Latency: unpackLatency(c[columnLatency].next()),
		}
		if !o.setFlags(flags) {
			return nil, errDamaged
		}
		if flags&flagDetails != 0 {
			c[columnDetails].details(&o)
		}
		if !o.valid(f.Objects.Numbers()) {
			return nil, errDamaged
		}
		list = append(list, o)
	}
	for i := range c {
		if c[i].bad {
			return nil, errDamaged
		}
	}
	return list, nil
}

// Sizes appends the sizes of a block of objects that must exist before the first operation to list, PerBlock of them except in the last
// block. These objects have the lowest numbers.
func (f *File) Sizes(k int, list []int64) ([]int64, error) {
	text, err := f.read(f.objects[k], f.objects[k+1]-f.objects[k])
	if err != nil {
		return nil, err
	}
	c := column{rest: text}
	for range min(f.Objects.First-int64(k)*PerBlock, PerBlock) {
		list = append(list, int64(c.next()))
	}
	if c.bad {
		return nil, errDamaged
	}
	return list, nil
}

// Named reports whether the file has the names of objects.
func (f *File) Named() bool { return f.NameBlocks() > 0 }

// NameBlocks returns the number of blocks of names; 0 if the file has none.
func (f *File) NameBlocks() int { return len(f.names) - 1 }

// Names appends the names of a block of objects to list, in order of their numbers.
func (f *File) Names(k int, list []string) ([]string, error) {
	block, err := f.read(f.names[k], f.names[k+1]-f.names[k])
	if err != nil {
		return nil, err
	}
	if len(block) > namesPerBlock*(MaxName+binary.MaxVarintLen16) {
		return nil, errDamaged
	}
	text := string(block) // names are substrings of it
	for range min(f.Objects.Numbers()-int64(k)*namesPerBlock, namesPerBlock) {
		n, size := binary.Uvarint(block)
		if size <= 0 || n > MaxName || n > uint64(len(block)-size) {
			return nil, errDamaged
		}
		list = append(list, text[size:size+int(n)])
		block, text = block[size+int(n):], text[size+int(n):]
	}
	return list, nil
}

// File is a trace in the compact form. Its methods can be called concurrently.
type File struct {
	*Summary
	in      io.ReaderAt
	objects []int64 // offsets of blocks, and the end of the last one
	names   []int64
	blocks  []int64
	dec     *zstd.Decoder
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

// Close releases the memory of the file.
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
	if int64(len(text)) > maxSummary+size { // a block is longer than its entry in the footer
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
	objects, operations := blocksOf(f.Objects.First), blocksOf(f.Operations)
	if next != int64(at) || objects != len(end.ObjectEnds) || operations != len(end.BlockEnds) {
		return errDamaged
	}
	return nil
}

// ends returns the offsets of blocks, and the end of the last one.
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

// buffers are reused from block to block.
type buffers struct{ packed, text []byte }

// readInto is read with buffers, which hold the result.
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
