package checksum

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/minio/crc64nvme"
)

// A CRC is linear: that of a block that is rotated and XORed with a mask follows from CRCs of its parts and of the mask. Seven out of eight
// blocks of Rotated contents are such blocks, so that their CRCs take an eighth of the time, and the contents need not be made for them.

const (
	blockBytes = 4 << 10
	rotations  = 7 // of the first block of a group
	groupBytes = blockBytes * (1 + rotations)
)

// Rotated are contents in groups of eight blocks of 4 KiB, as a generator makes them.
type Rotated interface {
	io.ReaderAt

	// Rotated describes a group by its first block, which it writes into first: block i+1 is the first one rotated left by by[i] bytes and
	// XORed with masks[i]. masks are always the same; nil if the contents of the reader are not made like this. The reader may be another
	// one that has this one inside, and with it this method.
	Rotated(reader io.ReaderAt, group int64, first *[blockBytes]byte, by *[rotations]int) (masks *[rotations][blockBytes]byte)
}

// field is the polynomials modulo that of a CRC, in reversed bit order: the highest bit is the coefficient of x^0.
type field struct {
	bits   int
	poly   uint64
	update func(crc uint64, p []byte) uint64 // what the library computes, which inverts the register before and after
	piece  int                               // places that are a multiple of it, and
	run    int                               // lengths that are a multiple of it, are fast for the library,
	least  int                               // from this length on
	tables func() *tables
}

// tables multiply polynomials.
type tables struct {
	reduce [16]uint64         // x^4 times what a shift by four bits drops
	bytes  [blockBytes]uint64 // x^8r: what r zero bytes multiply a register by
	step   [8][256]uint64     // what a word becomes when it passes: step[n] is for its byte n
	block  [8][256]uint64     // times x^(8*blockBytes)
}

func newField(bits int, poly uint64, piece, run, least int, update func(uint64, []byte) uint64) *field {
	f := &field{bits: bits, poly: poly, update: update, piece: piece, run: run, least: least}
	f.tables = sync.OnceValue(f.makeTables)
	return f
}

// fields have the lengths that the libraries' code for amd64 takes without falling back to tables.
var fields = map[string]*field{
	"CRC32":  newField(32, crc32.IEEE, 16, 16, 64, update32(crc32.IEEETable)),
	"CRC32C": newField(32, crc32.Castagnoli, 8, 8, 8, update32(castagnoli)),
	// 0x9a6c9329ac4bc9b5 is the polynomial of the NVM Express specification in reversed bit order.
	"CRC64NVME": newField(64, 0x9a6c9329ac4bc9b5, 16, maxRun, 64, crc64nvme.Update),
}

func update32(table *crc32.Table) func(uint64, []byte) uint64 {
	return func(c uint64, p []byte) uint64 { return uint64(crc32.Update(uint32(c), table, p)) }
}

// ones is the register with all bits set.
func (f *field) ones() uint64 { return ^uint64(0) >> (64 - f.bits) }

// raw continues a register over p, without the inversions.
func (f *field) raw(register uint64, p []byte) uint64 {
	return f.update(register^f.ones(), p) ^ f.ones()
}

// timesX multiplies by x.
func (f *field) timesX(v uint64) uint64 { return v>>1 ^ f.poly&-(v&1) }

// times multiplies by x^n.
func (f *field) times(v uint64, n int) uint64 {
	for range n {
		v = f.timesX(v)
	}
	return v
}

func (f *field) makeTables() *tables {
	t := &tables{}
	for i := range t.reduce {
		t.reduce[i] = f.times(uint64(i), 4)
	}
	for b := range 256 {
		v := uint64(b)
		for n := range t.step {
			v = f.times(v, 8)
			t.step[7-n][b] = v
		}
	}
	one := uint64(1) << (f.bits - 1)
	for r, v := 0, one; r < blockBytes; r++ {
		t.bytes[r] = v
		v = f.times(v, 8)
	}
	for bit := range f.bits {
		v := f.times(1<<bit, 8*blockBytes)
		for b := range 256 {
			if b>>(bit%8)&1 != 0 {
				t.block[bit/8][b] ^= v
			}
		}
	}
	return t
}

// short is field.raw for few bytes. p must have a capacity of at least 8.
func (t *tables) short(register uint64, p []byte) uint64 {
	for ; len(p) >= 8; p = p[8:] {
		register = multiply(&t.step, register^binary.LittleEndian.Uint64(p))
	}
	if len(p) == 0 {
		return register
	}
	n := 8 * len(p) // what follows p is shifted out
	return register>>n ^ multiply(&t.step, (register^binary.LittleEndian.Uint64(p[:8]))<<(64-n))
}

// multiply multiplies by the constant of a table.
func multiply(t *[8][256]uint64, v uint64) uint64 {
	return t[0][byte(v)] ^ t[1][byte(v>>8)] ^ t[2][byte(v>>16)] ^ t[3][byte(v>>24)] ^
		t[4][byte(v>>32)] ^ t[5][byte(v>>40)] ^ t[6][byte(v>>48)] ^ t[7][byte(v>>56)]
}

// Fast computes CRCs of Rotated contents. It is not safe for concurrent use.
type Fast struct {
	field *field
	t     *tables

	of     *[rotations][blockBytes]byte // masks
	masks  [rotations]uint64            // their registers
	first  *paddedBlock                 // aligned, being an allocation of its own
	by     [rotations]int
	sum    []byte
	sorted [rotations]int // by, in ascending order, each times eight plus its index
}

// paddedBlock is a block with space for zeros before it.
type paddedBlock [maxRun + blockBytes]byte

// maxRun is the longest run of a field.
const maxRun = 128

// NewFast returns nil for an algorithm that is no CRC.
func NewFast(a *Algorithm) *Fast {
	f := fields[a.Name]
	if f == nil {
		return nil
	}
	return &Fast{field: f, t: f.tables(), first: new(paddedBlock)}
}

// Sum returns the checksum of the first size bytes of r, valid until the next call; nil if r is no such contents. buffer is for what
// is no whole group.
func (s *Fast) Sum(r io.ReaderAt, size int64, buffer []byte) (sum []byte, err error) {
	body, ok := r.(Rotated)
	if !ok || size < groupBytes {
		return nil, nil
	}
	f, register := s.field, s.field.ones()
	for group := range size / groupBytes {
		masks := body.Rotated(r, group, (*[blockBytes]byte)(s.first[maxRun:]), &s.by)
		if masks == nil {
			return nil, nil
		}
		if s.of != masks {
			s.of = masks
			for i := range masks {
				s.masks[i] = f.raw(0, masks[i][:])
			}
		}
		register = s.group(register)
	}
	register ^= f.ones()
	for off := size / groupBytes * groupBytes; off < size; {
		p := buffer[:min(int64(len(buffer)), size-off)]
		if n, err := r.ReadAt(p, off); n < len(p) {
			return nil, shortError(err)
		}
		register, off = f.update(register, p), off+int64(len(p))
	}
	s.sum = binary.BigEndian.AppendUint64(s.sum[:0], register<<(64-f.bits))
	return s.sum[:f.bits/8], nil
}

// group continues a register over the group that s holds.
func (s *Fast) group(register uint64) uint64 {
	f, t := s.field, s.t
	for i, r := range s.by {
		s.sorted[i] = r<<3 | i
	}
	sortRotations(&s.sorted)
	// The registers of the block, and of its beginnings up to where the rotations cut it.
	var head [rotations + 1]uint64
	whole, from := uint64(0), 0
	for _, v := range s.sorted {
		cut := v >> 3
		if to := cut &^ (f.piece - 1); to >= from+f.least {
			whole, from = s.pass(whole, from, to), to
		}
		head[v&7] = t.short(whole, s.first[maxRun+from:maxRun+cut])
	}
	whole = s.pass(whole, from, blockBytes)
	// A block A|B, rotated to B|A, has the register whole*x^8r + A*(x^(8*blockBytes) + 1), r being the length of A.
	register = multiply(&t.block, register) ^ whole ^ head[0]
	var powers uint64 // that the block is multiplied by
	for i, r := range s.by {
		register = multiply(&t.block, register) ^ head[i] ^ head[i+1] ^ s.masks[i]
		powers = multiply(&t.block, powers) ^ t.bytes[r]
	}
	return register ^ f.quickProduct(t, whole, powers)
}

// pass continues a register over a part of the block. What is before it becomes zeros, as far as the length is no multiple of a run: they
// leave a register of zero as it is, and the one to continue is added to the first bytes of the part.
func (s *Fast) pass(register uint64, from, to int) uint64 {
	zeros := -(to - from) & (s.field.run - 1)
	p := s.first[maxRun+from-zeros : maxRun+to]
	if zeros == 0 {
		return s.field.raw(register, p)
	}
	clear(p[:zeros])
	binary.LittleEndian.PutUint64(p[zeros:], binary.LittleEndian.Uint64(p[zeros:])^register)
	return s.field.raw(0, p)
}

// quickProduct multiplies two polynomials, with tables.
func (f *field) quickProduct(t *tables, a, b uint64) (product uint64) {
	var multiples [16]uint64
	multiples[8] = a
	for i := 8; i > 1; i >>= 1 {
		multiples[i>>1] = f.timesX(multiples[i])
	}
	for i := range multiples {
		multiples[i] = multiples[i&8] ^ multiples[i&4] ^ multiples[i&2] ^ multiples[i&1]
	}
	// Two halves at once, since each step waits for the one before it.
	half, high := f.bits/2, b>>(f.bits/2)
	var low uint64
	for range half / 4 {
		low = low>>4 ^ t.reduce[low&15] ^ multiples[b&15]
		product = product>>4 ^ t.reduce[product&15] ^ multiples[high&15]
		b, high = b>>4, high>>4
	}
	return product ^ low>>half ^ multiply(&t.step, low<<(64-half))
}

// sortRotations sorts without branches, which no processor could predict.
func sortRotations(v *[rotations]int) {
	for _, p := range [...][2]int{
		{0, 6}, {2, 3}, {4, 5}, {0, 2}, {1, 4}, {3, 6}, {0, 1}, {2, 5}, {3, 4}, {1, 2}, {4, 6}, {2, 3}, {4, 5}, {1, 2}, {3, 4}, {5, 6},
	} {
		a, b := v[p[0]], v[p[1]]
		v[p[0]], v[p[1]] = min(a, b), max(a, b)
	}
}
