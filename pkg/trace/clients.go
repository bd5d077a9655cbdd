package trace

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"time"

	"warp/pkg/trace/internal/spill"
)

// ClientFile holds the operations of a trace by client, in a file without a name. Each client goes through its own at its own pace, however
// far apart they get. One chunk of each client is in memory.
type ClientFile struct {
	Span    time.Duration // until the last operation ended, as far as the trace has latencies
	file    *os.File
	clients []clientChunk
	chunks  int64 // of the file
}

// ClientOperation is an operation of a client; its time is not set.
type ClientOperation struct {
	Operation
	Number    uint64        // in the trace
	Gap       time.Duration // from the operation before; of the first one, from the begin of the trace
	FromStart bool          // Gap is from the start of the operation before, since the trace does not have its end
	Needs     Needs
}

// Needs are the numbers of operations that must have ended before this one begins: on its object, and on the source of a copy.
type Needs struct{ Object, Source uint32 }

// clientChunk is the chunk of a client that is being written or read.
type clientChunk struct {
	data   []byte
	at     int64 // its place in the file, in chunks
	first  int64 // that of the first one
	used   int
	left   int // operations: written, then to be read
	last   clientTime
	number uint64
	op     ClientOperation
}

// clientTime is when an operation of a client began or ended.
type clientTime struct {
	at        time.Duration
	fromStart bool
}

const (
	// chunkSize is that of a chunk: about 50 operations.
	chunkSize = 1024
	// chunkHead is the place of the next chunk, and the number of operations.
	chunkHead = 8 + 2
	// maxPacked is the maximum length of an operation.
	maxPacked = 1 + (8+maxDetails)*binary.MaxVarintLen64
	// flagFromStart adds to the flags of the compact form.
	flagFromStart = 0x20
	// noChunk marks the last chunk of a client.
	noChunk = -1
)

// NewClientFile divides the operations of a file by client. It calls need for each operation, in order of time.
func NewClientFile(f *File, need func(*Operation) Needs) (b *ClientFile, err error) {
	if f.Operations > math.MaxUint32 {
		return nil, fmt.Errorf("%d operations are too many to be divided by client (want at most %d)", f.Operations, uint32(math.MaxUint32))
	}
	b = &ClientFile{}
	if b.file, err = spill.File(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = b.Close()
		}
	}()
	places := map[uint32]int{}
	var list []Operation
	var reading buffers // reused: much else is in memory, and garbage would add to it
	number := uint64(0)
	for k := range f.Blocks() {
		if list, err = f.block(&reading, k, list[:0]); err != nil {
			return nil, err
		}
		for i := range list {
			o := &list[i]
			place, ok := places[o.Client]
			if !ok {
				place = len(b.clients)
				if places[o.Client] = place; int64(place) >= f.Clients.Count {
					return nil, errDamaged
				}
				b.clients = append(b.clients, clientChunk{data: make([]byte, chunkSize), at: b.chunks, first: b.chunks, used: chunkHead})
				b.chunks++
			}
			if err = b.add(&b.clients[place], o, number, need(o)); err != nil {
				return nil, err
			}
			number++
		}
	}
	return b, b.rewind()
}

// add adds the next operation of a client.
func (b *ClientFile) add(c *clientChunk, o *Operation, number uint64, needs Needs) error {
	if c.used+maxPacked > chunkSize {
		if err := b.write(c, b.chunks); err != nil {
			return err
		}
		c.at, c.used, c.left = b.chunks, chunkHead, 0
		b.chunks++
	}
	flags := o.flags()
	if c.last.fromStart {
		flags |= flagFromStart
	}
	text := append(c.data[:c.used], flags)
	for _, v := range [...]uint64{
		uint64(max(0, o.At-c.last.at)), number - c.number, o.Object, uint64(needs.Object),
		uint64(o.Size + 1), uint64(o.Status), o.packedLatency(),
	} {
		text = binary.AppendUvarint(text, v)
	}
	text = o.appendDetails(text)
	if o.Kind.Copies() {
		text = binary.AppendUvarint(text, uint64(needs.Source))
	}
	c.used, c.number = len(text), number
	c.left++
	c.last = clientTime{at: o.At + max(0, o.Latency), fromStart: o.Latency < 0}
	b.Span = max(b.Span, c.last.at)
	return nil
}

// write writes the chunk of a client, with the place of its next one.
func (b *ClientFile) write(c *clientChunk, next int64) error {
	binary.LittleEndian.PutUint64(c.data, uint64(next))
	binary.LittleEndian.PutUint16(c.data[8:], uint16(c.left))
	_, err := b.file.WriteAt(c.data, c.at*chunkSize)
	return err
}

// read reads a chunk of a client.
func (b *ClientFile) read(c *clientChunk, at int64) error {
	if _, err := b.file.ReadAt(c.data, at*chunkSize); err != nil {
		return err
	}
	c.at, c.used, c.left = int64(binary.LittleEndian.Uint64(c.data)), chunkHead, int(binary.LittleEndian.Uint16(c.data[8:]))
	return nil
}

// rewind writes the last chunks, and returns all clients to their first operations.
func (b *ClientFile) rewind() error {
	for i := range b.clients {
		c := &b.clients[i]
		if err := b.write(c, noChunk); err != nil {
			return err
		}
		c.number = 0
		if err := b.read(c, c.first); err != nil {
			return err
		}
	}
	return nil
}

// Clients returns the number of clients.
func (b *ClientFile) Clients() int { return len(b.clients) }

// Next returns the next operation of a client, valid until the next call for this client; nil after the last one. Calls for different
// clients may be concurrent.
func (b *ClientFile) Next(client int) (*ClientOperation, error) {
	c := &b.clients[client]
	if c.left == 0 {
		if c.at == noChunk {
			return nil, nil
		}
		if err := b.read(c, c.at); err != nil {
			return nil, err
		}
	}
	flags := c.data[c.used]
	rest := column{rest: c.data[c.used+1:]}
	o := &c.op
	*o = ClientOperation{Gap: time.Duration(rest.next()), FromStart: flags&flagFromStart != 0}
	c.number += rest.next()
	o.Number, o.Object, o.Needs.Object = c.number, rest.next(), uint32(rest.next())
	o.Size, o.Status, o.Latency = int64(rest.next())-1, int(rest.next()), unpackLatency(rest.next())
	known := o.setFlags(flags &^ flagFromStart)
	if flags&flagDetails != 0 {
		rest.details(&o.Operation)
	}
	if o.Kind.Copies() {
		o.Needs.Source = uint32(rest.next())
	}
	if rest.bad || !known {
		return nil, errDamaged
	}
	c.used = chunkSize - len(rest.rest)
	c.left--
	return o, nil
}

// Close removes the file.
func (b *ClientFile) Close() error { return spill.Close(b.file) }
