package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"warp/pkg/op"
)

// Merged is what is known of recordings that were merged.
type Merged struct {
	Operations int64
	Headers    []Header          // of the recordings, in their order
	Ends       []json.RawMessage // the end comment of each recording, or nil
	Warnings   []string          // of reading, and about the recordings as one run
	Incomplete []string          // which recordings are not whole, and why; see Reader.Incomplete
}

// Merge combines recordings into one, written to w: a run of all their clients. Clients of the same id in different
// recordings stay apart; see Clients. Threads keep their numbers, which count per client. The configurations stand in the
// new one's, as {"merged": [{"name": ..., "config": ..., "commandline": ...}, ...]}, unless h has a configuration. Tee, if
// it is not nil, gets every operation as well; what it returns at the end, as JSON, is what the new recording says about
// its end.
//
// Each recording is read twice: first for its clients and for when it ran, where recordings without a time in common give
// an error that wraps ErrNoOverlap. Memory depends on the number of recordings, not on their length.
//
// Operations are written by the time at which they ended. Recordings are in about that order; each of them is put in
// order as far as no operation is more than MergeWindow rows from its place. Further off, operations are written as
// soon as they turn up. None is left out, and statistics do not depend on the order.
func Merge(ctx context.Context, w io.Writer, h Header, inputs []Input, tee Tee) (*Merged, error) {
	m := &merger{inputs: inputs, clients: new(Clients), spans: NewSpans(inputs)}
	for i := range inputs {
		if err := m.survey(ctx, i); err != nil {
			return nil, err
		}
	}
	warnings, err := m.spans.Check()
	if err != nil {
		return nil, err
	}
	m.result.Warnings = append(m.result.Warnings, warnings...)
	if len(h.Config) == 0 {
		h.Config = m.config()
	}
	out, err := NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	if err := m.write(ctx, out, tee); err != nil {
		return nil, err
	}
	return &m.result, out.Close()
}

// Tee takes the operations of a merged recording beside the file.
type Tee interface {
	Write(ops []op.Op) error
	End(m *Merged) any // what the recording says at its end; see Writer.SetEnd
}

// merger is a Merge under way.
type merger struct {
	inputs  []Input
	clients *Clients
	spans   *Spans
	result  Merged
}

// checkEvery is after how many operations it is looked whether to stop.
const checkEvery = 1 << 14

// maxMergeClients is how many clients the recordings may have together: their names are kept.
const maxMergeClients = 1 << 17

// survey reads a recording for its clients and for when it ran.
func (m *merger) survey(ctx context.Context, part int) (err error) {
	r, err := m.inputs[part].Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.Only("thread", "client_id", "start", "end", "phase")
	last := "\x00" // no client
	for n := 0; r.Scan(); n++ {
		o := r.Op()
		m.spans.Add(part, o)
		if o.Client != last {
			last = o.Client
			m.clients.Name(part, last)
			if len(m.clients.taken) > maxMergeClients {
				return fmt.Errorf("%s: with it there are more than %d clients, too many to be one run", m.inputs[part].Name, maxMergeClients)
			}
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	m.result.Headers, m.result.Ends = append(m.result.Headers, r.Header()), append(m.result.Ends, r.End())
	return r.Err()
}

// config is the configurations of all recordings, or only their names where they are too long for one.
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
	m.result.Warnings = append(m.result.Warnings, "the configurations of the recordings are too long to be kept together in one")
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
	var queue endQueue // of streams
	for i, in := range m.inputs {
		r, err := in.Reader()
		if err != nil {
			return err
		}
		r.parsers = 1 // there are other recordings to keep the processors busy
		streams[i] = newOrdered(r)
		m.enqueue(&queue, i, streams[i])
	}
	for len(queue) > 0 {
		i := queue.pop().n
		if err := m.writeFirst(out, tee, i, streams[i]); err != nil {
			return err
		}
		streams[i].advance()
		m.enqueue(&queue, i, streams[i])
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

// enqueue puts the stream of recording number i in its place, unless it is at its end.
func (m *merger) enqueue(q *endQueue, i int, s *ordered) {
	if o := s.first(); o != nil {
		q.push(queued{o.End.UnixNano(), uint64(i), i})
	}
}

// writeFirst writes the first operation of s, which is recording number part.
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
