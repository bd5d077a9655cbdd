package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"warp/internal/heap"
	"warp/pkg/op"
)

// Merged describes the result of a merge.
type Merged struct {
	Operations int64
	Headers    []Header          // of the recordings, in their order
	Ends       []json.RawMessage // the end comment of each recording, or nil
	Warnings   []string          // from reading, and about the recordings as one run
	Incomplete []string          // which recordings are incomplete, and why; see Reader.Incomplete
	Clients    [][]string        // names of the clients of each recording, as the merged one has them
}

// Merge combines recordings into one, written to w: a run of all their clients. Clients with the same id in different
// recordings stay separate; see Clients. Threads keep their numbers, which count per client. Unless h has a
// configuration, the new one contains all of them, as {"merged": [{"name": ..., "config": ...,
// "commandline": ...}, ...]}. tee, if not nil, gets every operation as well; what it returns at the end, as JSON,
// becomes the new end comment.
//
// Each recording is read twice: first for its clients and its time span, where recordings that do not overlap in time
// give an error that wraps ErrNoOverlap. Memory depends on the number of recordings, not on their length.
//
// Operations are written in order of their end. Recordings are roughly in that order; each is sorted as long as no
// operation is more than mergeWindow rows from its place. Operations that are further off are written as soon as they
// appear. None is lost, and statistics do not depend on the order.
func Merge(ctx context.Context, w io.Writer, h Header, inputs []Input, tee Tee) (*Merged, error) {
	return merge(ctx, w, h, inputs, tee, (*Spans).Check)
}

// MergeRun is Merge for the clients of a run that is known to be one: with few operations they need not overlap.
func MergeRun(ctx context.Context, w io.Writer, h Header, inputs []Input, tee Tee) (*Merged, error) {
	return merge(ctx, w, h, inputs, tee, func(*Spans) ([]string, error) { return nil, nil })
}

func merge(ctx context.Context, w io.Writer, h Header, inputs []Input, tee Tee,
	check func(*Spans) (warnings []string, err error),
) (*Merged, error) {
	m := &merger{inputs: inputs, clients: new(Clients), spans: NewSpans(inputs)}
	for i := range inputs {
		if err := m.survey(ctx, i); err != nil {
			return nil, err
		}
		m.result.Clients = append(m.result.Clients, m.clients.Names(i))
	}
	warnings, err := check(m.spans)
	if err != nil {
		return nil, err
	}
	m.result.Warnings = append(m.result.Warnings, warnings...)
	if len(h.Config) == 0 {
		h.Config = m.config()
	}
	h.Buckets = slices.ContainsFunc(m.result.Headers, func(h Header) bool { return h.Buckets })
	h.Copies = slices.ContainsFunc(m.result.Headers, func(h Header) bool { return h.Copies })
	out, err := NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	if err := m.write(ctx, out, tee); err != nil {
		return nil, err
	}
	return &m.result, out.Close()
}

// Tee receives the operations of a merged recording in addition to the file.
type Tee interface {
	Write(ops []op.Op) error
	End(m *Merged) any // the end comment; see Writer.SetEnd
}

// merger is a Merge under way.
type merger struct {
	inputs  []Input
	clients *Clients
	spans   *Spans
	result  Merged
}

// checkEvery is the number of operations between checks for cancellation.
const checkEvery = 1 << 14

// maxMergeClients bounds the number of clients of all recordings, whose names are kept in memory.
const maxMergeClients = 1 << 17

// survey reads a recording for its clients and its time span.
func (m *merger) survey(ctx context.Context, part int) (err error) {
	r, err := m.inputs[part].Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.Only("thread", "client_id", "start", "end", "phase")
	last := "\x00" // not a client
	for n := 0; r.Scan(); n++ {
		o := r.Op()
		m.spans.Add(part, o)
		if o.Client != last {
			last = o.Client
			m.clients.Name(part, last)
			if len(m.clients.taken) > maxMergeClients {
				return fmt.Errorf("%s: more than %d clients up to this recording, too many for one run", m.inputs[part].Name, maxMergeClients)
			}
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	m.result.Headers, m.result.Ends = append(m.result.Headers, r.Header()), append(m.result.Ends, r.End())
	return r.Err()
}

// config returns the configurations of all recordings, or only their number if they are too long.
func (m *merger) config() json.RawMessage {
	type part struct {
		Name        string          `json:"name"`
		Config      json.RawMessage `json:"config,omitempty"`
		CommandLine string          `json:"commandline,omitempty"`
	}
	parts := make([]part, len(m.inputs))
	for i, h := range m.result.Headers {
		parts[i] = part{m.inputs[i].Name, h.Config, h.CommandLine}
	}
	text, err := json.Marshal(map[string]any{"merged": parts})
	if err == nil && len(text) <= MaxRow/2 {
		return text
	}
	m.result.Warnings = append(m.result.Warnings, "the configurations of the recordings were dropped: together they are too long")
	text, _ = json.Marshal(map[string]any{"merged": len(parts)})
	return text
}

// write writes all operations to out.
func (m *merger) write(ctx context.Context, out *Writer, tee Tee) (err error) {
	streams := make([]*ordered, len(m.inputs))
	defer func() {
		for _, s := range streams {
			if s != nil {
				err = errors.Join(err, s.r.Close())
			}
		}
	}()
	var queue heap.Heap[queued] // of streams
	for i, in := range m.inputs {
		r, err := in.Reader()
		if err != nil {
			return err
		}
		r.parsers = 1 // the other recordings keep the CPUs busy
		streams[i] = newOrdered(r)
		if o := streams[i].first(); o != nil {
			queue = append(queue, queued{o.End.UnixNano(), uint64(i), i})
		}
	}
	queue.Init()
	for len(queue) > 0 {
		i := queue[0].n
		if err := m.writeFirst(out, tee, i, streams[i]); err != nil {
			return err
		}
		streams[i].advance()
		if o := streams[i].first(); o != nil {
			queue[0] = queued{o.End.UnixNano(), uint64(i), i}
			queue.Fix()
		} else {
			queue.Pop()
		}
		if m.result.Operations%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, s := range streams {
		m.result.Warnings = append(m.result.Warnings, s.r.Warnings()...)
		m.result.Incomplete = append(m.result.Incomplete, s.r.Incomplete()...)
		if err := s.r.Err(); err != nil {
			return err
		}
	}
	if tee != nil {
		return out.SetEnd(tee.End(&m.result))
	}
	return nil
}

// writeFirst writes the first operation of s, which belongs to recording number part.
func (m *merger) writeFirst(out *Writer, tee Tee, part int, s *ordered) error {
	slot := s.queue[0].n
	ops := s.slots[slot : slot+1]
	ops[0].Client = m.clients.Name(part, ops[0].Client)
	m.result.Operations++
	if tee != nil {
		if err := tee.Write(ops); err != nil {
			return fmt.Errorf("merge recordings: %w", err)
		}
	}
	return out.Write(ops)
}

// mergeWindow is how far, in rows, an operation may be from its place by end for Merge to sort it.
const mergeWindow = 8192

// ordered reads a recording in order of the end of operations: it holds back mergeWindow operations and returns the
// earliest.
type ordered struct {
	r     *Reader
	slots []op.Op
	queue heap.Heap[queued] // of slots
	seq   uint64
}

// newOrdered fills the window.
func newOrdered(r *Reader) *ordered {
	o := &ordered{r: r}
	for len(o.slots) < mergeWindow && r.Scan() {
		o.slots = append(o.slots, *r.Op())
		o.queue = append(o.queue, o.queued(len(o.slots)-1))
	}
	o.queue.Init()
	return o
}

// queued returns the place of a slot in the queue.
func (o *ordered) queued(slot int) queued {
	o.seq++
	return queued{o.slots[slot].End.UnixNano(), o.seq, slot}
}

// first returns the next operation, valid until advance; nil at the end.
func (o *ordered) first() *op.Op {
	if len(o.queue) == 0 {
		return nil
	}
	return &o.slots[o.queue[0].n]
}

// advance drops the first operation and reads another.
func (o *ordered) advance() {
	slot := o.queue[0].n
	if !o.r.Scan() {
		o.queue.Pop()
		return
	}
	o.slots[slot] = *o.r.Op()
	o.queue[0] = o.queued(slot)
	o.queue.Fix()
}

// queued is the place of an operation, or of a stream of them, in a queue by end.
type queued struct {
	end int64  // Unix time in nanoseconds
	seq uint64 // decides between equal ends
	n   int
}

// Before reports whether the operation ends before another one.
func (q queued) Before(o queued) bool { return q.end < o.end || q.end == o.end && q.seq < o.seq }
