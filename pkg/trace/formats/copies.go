package formats

import (
	"bytes"
	"cmp"
	"slices"
)

// copies joins the two records that a log has of each copy: one about the target, and one about the source. They have the same request id,
// and come in any order.
type copies struct {
	open map[uint64]*halfCopy // by a hash of the request
}

// halfCopy is the first record of a copy.
type halfCopy struct {
	made        *event // the target; nil: the record is about the source
	bucket, key []byte // of the source
}

// maxOpen is the maximum number of copies that wait for their second record. The source of others stays unknown.
const maxOpen = 1 << 14

// source adds a record about the source. If the target is known, it adds the event to out.
func (c *copies) source(request uint64, bucket, key []byte, out *events) {
	h := c.open[request]
	switch {
	case h != nil && h.made != nil:
		h.made.SourceBucket, h.made.Source = bucket, key
		out.list = append(out.list, *h.made)
		delete(c.open, request)
	case h == nil && len(c.open) < maxOpen:
		c.keep(request, &halfCopy{bucket: bytes.Clone(bucket), key: bytes.Clone(key)})
	}
}

// made adds a record about the target, which is the last event of out. The event stays there if its source is known, or if too many wait.
func (c *copies) made(request uint64, out *events) {
	last := len(out.list) - 1
	e := &out.list[last]
	h := c.open[request]
	switch {
	case h != nil && h.made == nil:
		e.SourceBucket, e.Source = h.bucket, h.key
		delete(c.open, request)
	case h == nil && len(c.open) < maxOpen:
		kept := *e
		for _, text := range []*[]byte{&kept.Bucket, &kept.Key, &kept.Client} {
			*text = bytes.Clone(*text)
		}
		c.keep(request, &halfCopy{made: &kept})
		out.list = out.list[:last]
	}
}

func (c *copies) keep(request uint64, h *halfCopy) {
	if c.open == nil {
		c.open = map[uint64]*halfCopy{}
	}
	c.open[request] = h
}

// end adds the copies without a record about the source, in order of time.
func (c *copies) end(out *events) {
	for _, h := range c.open {
		if h.made != nil {
			out.list = append(out.list, *h.made)
		}
	}
	clear(c.open)
	slices.SortFunc(out.list, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.Key, b.Key))
	})
}
