package generator

import (
	"bytes"
	"fmt"
)

// checkBuffer is how much is compared at a time; it stays in the CPU's first-level cache.
const checkBuffer = 16 << 10

// Checker is an io.Writer that compares what is written to it with the contents of an object. It accepts all bytes,
// also after a wrong one, so that a checked download costs the same as any other; call Err at the end. Reset reuses it
// for another object without allocation. It does not know the size of the object: checking that is up to the caller.
type Checker struct {
	data  *Data
	i     uint64
	pos   int64
	wrong int64 // offset of the first wrong byte, -1 if there is none
	want  [checkBuffer]byte
}

// Check returns a Checker for object i from offset off (at least 0).
func (d *Data) Check(i uint64, off int64) *Checker {
	c := &Checker{data: d}
	c.Reset(i, off)
	return c
}

// Reset makes c compare with object i from offset off, and forgets earlier results.
func (c *Checker) Reset(i uint64, off int64) { c.i, c.pos, c.wrong = i, off, -1 }

// Write compares the next bytes. It never fails.
func (c *Checker) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 && c.wrong < 0 {
		got := p[:min(len(p), len(c.want))]
		want := c.want[:len(got)]
		c.data.Fill(want, c.i, c.pos)
		if !bytes.Equal(got, want) {
			c.wrong = c.pos + int64(firstDifference(got, want))
		}
		c.pos += int64(len(got))
		p = p[len(got):]
	}
	return taken, nil
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// Wrong returns the offset in the object of the first wrong byte, and whether there is one.
func (c *Checker) Wrong() (off int64, found bool) { return c.wrong, c.wrong >= 0 }

// Err returns nil if all bytes were right, else an error with the position of the first wrong one.
func (c *Checker) Err() error {
	if c.wrong < 0 {
		return nil
	}
	return fmt.Errorf("wrong data: byte %d of the object differs from what was stored", c.wrong)
}
