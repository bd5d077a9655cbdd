package trace

import (
	"sync"
	"sync/atomic"
)

// Player returns operations of a file by their numbers. It is made for many threads that go through the file together: it keeps the blocks
// around them in memory, and reads the next one ahead.
type Player struct {
	*File
	operations [kept]atomic.Pointer[cached[Operation]]
	sizes      [kept]atomic.Pointer[cached[int64]]
	names      [keptNames]atomic.Pointer[cached[string]]
	mu         sync.Mutex // held while a block is read
	ahead      sync.WaitGroup
}

const (
	// kept is the number of blocks in memory.
	kept = 8
	// keptNames is the number of blocks of names in memory, which are smaller.
	keptNames = 1024
)

// cached is a block.
type cached[T any] struct {
	number int
	items  []T
	ahead  atomic.Bool // the next one is being read, or was
}

// NewPlayer returns a player of a file.
func NewPlayer(f *File) *Player { return &Player{File: f} }

// Close ends reading ahead, and closes the file.
func (p *Player) Close() {
	p.ahead.Wait()
	p.File.Close()
}

// Operation returns operation n, which must not be changed.
func (p *Player) Operation(n uint64) (*Operation, error) {
	if n >= uint64(p.Operations) {
		return nil, errDamaged
	}
	number := int(n / PerBlock)
	c, err := blockOf(p, p.operations[:], number, p.Block)
	if err != nil {
		return nil, err
	}
	if number+1 < p.Blocks() && !c.ahead.Swap(true) {
		p.ahead.Go(func() { _, _ = blockOf(p, p.operations[:], number+1, p.Block) }) // an error comes again when it is needed
	}
	return &c.items[n%PerBlock], nil
}

// Size returns the size that an object must have before the first operation; its number is below Objects.First.
func (p *Player) Size(object uint64) (int64, error) {
	if object >= uint64(p.Objects.First) {
		return 0, errDamaged
	}
	c, err := blockOf(p, p.sizes[:], int(object/PerBlock), p.Sizes)
	if err != nil {
		return 0, err
	}
	return c.items[object%PerBlock], nil
}

// Name returns the name of an object; the file must have names.
func (p *Player) Name(object uint64) (string, error) {
	if object >= uint64(p.Objects.Numbers()) || !p.Named() {
		return "", errDamaged
	}
	c, err := blockOf(p, p.names[:], int(object/namesPerBlock), p.Names)
	if err != nil {
		return "", err
	}
	return c.items[object%namesPerBlock], nil
}

// blockOf returns a block, from memory if it is there.
func blockOf[T any](p *Player, kept []atomic.Pointer[cached[T]], number int, read func(int, []T) ([]T, error)) (*cached[T], error) {
	slot := &kept[number%len(kept)]
	if c := slot.Load(); c != nil && c.number == number {
		return c, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := slot.Load(); c != nil && c.number == number {
		return c, nil
	}
	items, err := read(number, nil)
	if err != nil {
		return nil, err
	}
	c := &cached[T]{number: number, items: items}
	slot.Store(c)
	return c, nil
}
