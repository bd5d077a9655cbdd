package recording

import "warp/pkg/op"

// MergeWindow is how far, in rows, an operation of a recording may be from its place by end for Merge to put it there.
const MergeWindow = 8192

// ordered reads a recording by the end of operations: it holds back as many as MergeWindow and gives the earliest.
type ordered struct {
	r     *Reader
	slots []op.Op
	queue endQueue // of slots
	seq   uint64
}

// newOrdered fills the window.
func newOrdered(r *Reader) *ordered {
	o := &ordered{r: r}
	for len(o.slots) < MergeWindow && r.Scan() {
		o.slots = append(o.slots, *r.Op())
		o.push(len(o.slots) - 1)
	}
	return o
}

func (o *ordered) push(slot int) {
	o.queue.push(queued{o.slots[slot].End.UnixNano(), o.seq, slot})
	o.seq++
}

// first is the next operation, valid until advance; nil: there is none.
func (o *ordered) first() *op.Op {
	if len(o.queue) == 0 {
		return nil
	}
	return &o.slots[o.queue[0].n]
}

// advance drops the first operation and reads another.
func (o *ordered) advance() {
	slot := o.queue.pop().n
	if o.r.Scan() {
		o.slots[slot] = *o.r.Op()
		o.push(slot)
	}
}

// endQueue is a binary heap: the earliest end is the first.
type endQueue []queued

type queued struct {
	end int64  // Unix time in nanoseconds
	seq uint64 // decides between equal ends
	n   int
}

func (q queued) before(o queued) bool { return q.end < o.end || q.end == o.end && q.seq < o.seq }

func (q *endQueue) push(e queued) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (q *endQueue) pop() queued {
	h := *q
	top := h[0]
	h[0] = h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
