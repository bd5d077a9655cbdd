package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// handOver computes statistics from the recording in two passes, of which the second needs the windows that all clients
// have in common, and hands over what the coordinator requests.
func (r *reporter) handOver(ctx context.Context) error {
	j, opts := r.job, r.start.Options.Aggregate()
	bounds, err := r.bounds(opts)
	if err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	windows, fetches := j.expect(protocol.MsgWindows), j.expect(protocol.MsgFetch)
	defer j.forget(protocol.MsgWindows, protocol.MsgFetch)
	if err := r.send(ctx, protocol.MsgBounds, bounds); err != nil {
		return err
	}
	var w protocol.Windows
	if err := j.await(ctx, windows, &w); err != nil {
		return err
	}
	if w.Windows == nil {
		return errors.New("the coordinator sent no windows")
	}
	if w.Finished {
		r.cutToFinished()
	}
	figures := aggregate.New(opts, w.Windows)
	if _, err := r.readAll(figures.Write); err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	s := figures.Snapshot()
	r.summarize(s)
	text, err := r.encode(s)
	if err != nil {
		return err
	}
	if err := r.send(ctx, protocol.MsgAggregated, r.runEnd()); err != nil {
		return err
	}
	return r.serveFetches(ctx, fetches, text)
}

// bounds returns the bounds of this client's operations and, if it measured only a part of the benchmark, those of the phases that it finished.
func (r *reporter) bounds(opts aggregate.Options) (b protocol.Bounds, err error) {
	b.Bounds = aggregate.NewBounds(opts)
	read, err := r.readAll(b.Bounds.Write)
	if err != nil {
		return b, err
	}
	missing := r.rec.seen() - read
	if missing > 0 {
		r.warn("%d of its %d operations could not be recorded and are missing from the result: %v", missing, r.rec.seen(), r.rec.failed)
	}
	b.Cut = r.cutReason(read)
	if b.Cut == "" || missing > 0 || !r.measured.Finished.Measured {
		return b, nil
	}
	b.Phases, b.Finished = r.measured.Finished.Phases, aggregate.NewBounds(opts)
	_, err = r.rec.each(r.measured.Finished.Until, r.correction, &r.progressed, b.Finished.Write)
	return b, err
}

// cutToFinished limits what is handed over to the phases that this client finished.
func (r *reporter) cutToFinished() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.until = r.measured.Finished.Until
	r.measured.CutToFinished()
}

// send sends a document. Each chunk counts as progress.
func (r *reporter) send(ctx context.Context, kind string, body any) error {
	return r.job.session.SendDocument(ctx, kind, body, func() { r.progressed.Add(1) })
}

// readAll reads the recording, which does not exist without operations.
func (r *reporter) readAll(use func([]op.Op) error) (int64, error) {
	if r.rec.seen() == 0 {
		return 0, nil
	}
	return r.rec.each(r.until, r.correction, &r.progressed, use)
}

// serveFetches hands over the snapshot and then, unless the coordinator sends keep, the recording.
func (r *reporter) serveFetches(ctx context.Context, fetches <-chan transport.Frame, snapshot []byte) error {
	j := r.job
	for _, what := range []string{protocol.MsgSnapshot, transport.Chunk} {
		var f transport.Frame
		select {
		case f = <-fetches:
		case <-j.session.Done():
			return j.session.Err()
		}
		if f.Kind == protocol.MsgKeepResults {
			return nil
		}
		fetches = j.expect(protocol.MsgFetch)
		var err error
		if what == protocol.MsgSnapshot {
			err = r.send(ctx, protocol.MsgSnapshot, snapshot)
		} else {
			err = r.stream(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream hands over the recording, with its times corrected.
func (r *reporter) stream(ctx context.Context) error {
	h, err := recordingHeader(r.job.agent, r.start, r.endClock, true)
	if err != nil {
		return err
	}
	out := &chunker{ctx: ctx, session: r.job.session}
	w, err := recording.NewWriter(out, h)
	if err != nil {
		return err
	}
	n, err := r.readAll(w.Write)
	if err != nil {
		return err
	}
	if err := errors.Join(w.SetEnd(r.ownEnd()), w.Close()); err != nil {
		return err
	}
	return r.job.session.Send(ctx, protocol.MsgHandedOver, protocol.HandedOver{Operations: n, Bytes: out.bytes})
}

// chunker is an io.Writer into a session, whose window is the flow control.
type chunker struct {
	ctx     context.Context
	session *transport.Session
	bytes   int64
}

// Write sends p in chunks.
func (c *chunker) Write(p []byte) (n int, err error) {
	for n < len(p) {
		chunk := p[n:min(n+transport.ChunkSize, len(p))]
		if err := c.session.Send(c.ctx, transport.Chunk, append([]byte(nil), chunk...)); err != nil {
			return n, err
		}
		n += len(chunk)
		c.bytes += int64(len(chunk))
	}
	return n, nil
}

// encode encodes the message of a snapshot. One that is too long loses its details, of which there are most.
func (r *reporter) encode(s *aggregate.Snapshot) ([]byte, error) {
	b, err := r.encodeGroups(s)
	if most := r.job.agent.opts.snapshot; err == nil && len(b) > most {
		r.warn("its statistics have %d MiB, and at most %d MiB can be sent: segments of hosts and times of segments are missing from this result; "+
			"\"warp analyze\" of the recording has them, and a longer --analyze.dur makes them fewer", len(b)>>20, most>>20)
		s.DropDetails()
		b, err = r.encodeGroups(s)
	}
	return b, err
}

// encodeGroups encodes a snapshot. Each group counts as progress.
func (r *reporter) encodeGroups(s *aggregate.Snapshot) ([]byte, error) {
	var body struct {
		Snapshot struct {
			*aggregate.Snapshot
			Groups []json.RawMessage `json:"groups"` // in place of the snapshot's
			Totals []json.RawMessage `json:"totals"`
		} `json:"snapshot"`
	}
	body.Snapshot.Snapshot = s
	encode := func(groups []*aggregate.Group) (list []json.RawMessage, err error) {
		for _, g := range groups {
			b, err := json.Marshal(g)
			if err != nil {
				return nil, err
			}
			list = append(list, b)
			r.progressed.Add(1)
		}
		return list, nil
	}
	var err, totalErr error
	body.Snapshot.Groups, err = encode(s.Groups)
	body.Snapshot.Totals, totalErr = encode(s.Totals)
	if err := errors.Join(err, totalErr); err != nil {
		return nil, fmt.Errorf("encode the statistics: %w", err)
	}
	return json.Marshal(body)
}
