package trace

import (
	"encoding/binary"
	"math"
	"time"
)

// Blocks returns the number of blocks of operations. All but the last have PerBlock.
func (f *File) Blocks() int { return len(f.blocks) - 1 }

// PerBlock is the number of operations of a block.
const PerBlock = perBlock

// Block returns the operations of a block, in the order of their times. It appends them to list, whose memory is reused.
func (f *File) Block(k int, list []Operation) ([]Operation, error) {
	return f.block(&buffers{}, k, list)
}

// block is Block, with buffers for what it reads.
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
	count := min(f.Operations-int64(k)*perBlock, perBlock)
	if int64(len(c[columnFlags].rest)) != count {
		return nil, errDamaged
	}
	for _, flags := range c[columnFlags].rest {
		at += c[columnTime].next()
		o := Operation{
			At: time.Duration(at), Object: c[columnObject].next(), Size: int64(c[columnSize].next()) - 1, Status: int(c[columnStatus].next()),
			Client: uint32(c[columnClient].next()), Latency: unpackLatency(c[columnLatency].next()),
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

// column is a column of a block being read.
type column struct {
	rest []byte
	bad  bool
}

// next returns the next number, or 0 if the block holds none that is valid.
func (c *column) next() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > math.MaxInt64 {
		c.bad = true
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// Sizes returns the sizes of a block of objects that must be there before the first operation, PerBlock of them but for the last block.
// They have the first numbers. It appends them to list.
func (f *File) Sizes(k int, list []int64) ([]int64, error) {
	text, err := f.read(f.objects[k], f.objects[k+1]-f.objects[k])
	if err != nil {
		return nil, err
	}
	c := column{rest: text}
	for range min(f.Objects.First-int64(k)*perBlock, perBlock) {
		list = append(list, int64(c.next()))
	}
	if c.bad {
		return nil, errDamaged
	}
	return list, nil
}

// Named reports whether the file has the names of objects.
func (f *File) Named() bool { return f.nameBlocks() > 0 }

func (f *File) nameBlocks() int { return len(f.names) - 1 }

// namesOf returns the names of a block of objects, namesPerBlock of them but for the last block. It appends them to list.
func (f *File) namesOf(k int, list []string) ([]string, error) {
	block, err := f.read(f.names[k], f.names[k+1]-f.names[k])
	if err != nil {
		return nil, err
	}
	if len(block) > namesPerBlock*(MaxName+binary.MaxVarintLen16) {
		return nil, errDamaged
	}
	text := string(block) // of which names are parts
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
