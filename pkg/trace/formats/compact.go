package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"warp/pkg/trace"
)

// compacted reads a file in the compact form. Keys and clients of its events are numbers.
type compacted struct {
	file    *trace.TempFile
	ordinal uint64 // number of the file among those in the compact form: each has its own numbers for objects and clients
	block   []trace.Operation
	place   int // in block
	blocks  int // number of blocks read
	at      int64
	err     error
}

// openCompact copies the file, because its end must be read first.
func openCompact(in *input) (source, error) {
	f, err := trace.NewTempFile()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, in)
	if err == nil {
		err = f.Open()
	}
	if err != nil {
		_ = f.Close() // the first error is returned
		return nil, err
	}
	return &compacted{file: f, ordinal: in.compacts}, nil
}

func (c *compacted) next(out *events) (more bool, bad error) {
	if c.place == len(c.block) {
		if c.blocks == c.file.Blocks() {
			return false, nil
		}
		if c.block, c.err = c.file.Block(c.blocks, c.block[:0]); c.err != nil {
			return false, nil
		}
		c.blocks++
		c.place = 0
	}
	o := &c.block[c.place]
	c.place++
	c.at++
	e := out.add()
	e.Start, e.Kind, e.Size, e.Offset, e.Length = c.file.Begin.UnixNano()+int64(o.At), o.Kind, o.Size, o.Offset, o.Length
	e.Part, e.Listed, e.Entries = o.Part, o.Listed, o.Size
	if o.Source >= 0 {
		e.Source = c.key(out, uint64(o.Source))
	}
	e.Status, e.Latency = o.Status, int64(o.Latency)
	e.Key, e.Numbered = c.key(out, o.Object), true
	e.Client = c.client(out, o.Client)
	return true, nil
}

// client returns a name for a client; nil if the trace has no clients.
func (c *compacted) client(out *events, client uint32) []byte {
	if c.file.Clients.Unknown == c.file.Operations {
		return nil
	}
	from := len(out.text)
	out.text = binary.AppendUvarint(out.text, uint64(client))
	if c.ordinal > 0 {
		out.text = binary.AppendUvarint(out.text, c.ordinal)
	}
	return out.text[from:]
}

// errManyNamed is the error of several files with names: their numbers of a name may differ.
var errManyNamed = errors.New("names can be taken from one file in the compact form only")

// key returns a key for an object.
func (c *compacted) key(out *events, object uint64) []byte {
	from := len(out.text)
	out.number(object)
	if c.ordinal > 0 {
		out.text = binary.AppendUvarint(out.text, c.ordinal)
	}
	return out.text[from:]
}

// eachName calls do with the key and the name of each object.
func (c *compacted) eachName(do func(key, name []byte) error) error {
	switch {
	case !c.file.Named():
		return errNoNames
	case c.ordinal > 0:
		return errManyNamed
	}
	var list []string
	var out events
	for k, n := 0, uint64(0); k < c.file.NameBlocks(); k++ {
		var err error
		if list, err = c.file.Names(k, list[:0]); err != nil {
			return err
		}
		for _, name := range list {
			out.reset()
			if err := do(c.key(&out, n), []byte(name)); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

func (c *compacted) number() int64 { return c.at }

func (c *compacted) failure() error {
	if c.err != nil {
		return fmt.Errorf("block %d: %w", c.blocks, c.err)
	}
	return nil
}

func (c *compacted) close() error { return c.file.Close() }

// errNoNames is the error of a trace without names where they are needed.
var errNoNames = errors.New("the trace holds no names of objects (warp trace --names=keep writes them)")
