package trace

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// compactName is the format of files in the compact form, which no name stands for: it is always recognized.
var compact = &Format{Name: "compact"}

// compacted is a source of the operations of a file in the compact form. Numbers stand for the names that it had.
type compacted struct {
	copied  *os.File
	file    *File
	block   []Operation
	place   int // in block
	blocks  int // that were read
	at      int64
	err     error
	release func() error
}

// newCompacted copies the file, since its end must be read first.
func newCompacted(in io.Reader) (*compacted, error) {
	f, err := tempFile()
	if err != nil {
		return nil, err
	}
	c := &compacted{copied: f}
	size, err := io.Copy(f, in)
	if err == nil {
		c.file, err = Open(f, size)
	}
	if err != nil {
		_ = closeFiles([]*os.File{f})
		return nil, err
	}
	return c, nil
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
	e.Status, e.Latency = o.Status, int64(o.Latency)
	e.Key, e.numbered = out.number(o.Object), true
	from := len(out.text)
	out.text = binary.AppendUvarint(out.text, uint64(o.Client))
	e.Client = out.text[from:]
	return true, nil
}

// eachName calls do for all objects, with the keys that stand for their names.
func (c *compacted) eachName(do func(key, name []byte) error) error {
	if !c.file.Named() {
		return errNoNames
	}
	var list []string
	var out events
	for k, n := 0, uint64(0); k < c.file.nameBlocks(); k++ {
		var err error
		if list, err = c.file.namesOf(k, list[:0]); err != nil {
			return err
		}
		for _, name := range list {
			out.reset()
			if err := do(out.number(n), []byte(name)); err != nil {
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

func (c *compacted) close() error {
	c.file.Close()
	err := closeFiles([]*os.File{c.copied})
	if c.release != nil {
		if closeErr := c.release(); err == nil {
			err = closeErr
		}
	}
	return err
}
