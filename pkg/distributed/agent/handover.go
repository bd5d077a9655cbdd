package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// handover computes the results of this client after the measurement, and hands them over.
type handover struct {
	outcome
	job        *job
	start      *protocol.Start
	rec        *recorder
	correction protocol.Correction
	until      time.Time     // only operations that began before are handed over; zero: all
	progressed atomic.Uint64 // operations read again, and parts of the statistics that were encoded and sent
}

func newHandover(j *job, st *protocol.Start, rec *recorder, o *observe.Observer) *handover {
	return &handover{
		outcome:    outcome{observer: o},
		job:        j,
		start:      st,
		rec:        rec,
		correction: protocol.NewCorrection(st.Clock, nil),
	}
}

// report computes this client's statistics, and hands them over. failed is the error that ended the benchmark, if one did.
func (h *handover) report(ctx context.Context, r *reporter, measured *bench.Result, failed error) error {
	h.measured, h.failed = measured, failed
	err := r.finish(ctx, h.progressed.Load)
	if err == nil {
		err = h.exchangeClock(ctx)
	}
	h.rec.finish(h.ownEnd())
	if err == nil {
		err = h.handOver(ctx)
	}
	if err != nil {
		h.job.opts.Logf("Cannot hand over the results: %v. They are in %s.", err, h.rec.location())
	}
	return err
}

// exchangeClock reports the end of the measurement, and receives the offset of this machine's clock at that time.
func (h *handover) exchangeClock(ctx context.Context) error {
	answer := h.job.expect(protocol.MsgEndClock)
	defer h.job.forget(protocol.MsgEndClock)
	if err := h.job.session.Send(ctx, protocol.MsgMeasured, struct{}{}); err != nil {
		return err
	}
	var p protocol.EndClock
	if err := h.job.await(ctx, answer, &p); err != nil {
		return err
	}
	h.endClock, h.correction = p.Clock, protocol.NewCorrection(h.start.Clock, p.Clock)
	return nil
}

// handOver computes statistics from the recording, and hands over what the coordinator requests. It reads the recording twice: the second
// pass needs the windows that all clients have in common.
func (h *handover) handOver(ctx context.Context) error {
	j, opts := h.job, h.start.Options.Aggregate()
	bounds, err := h.bounds(opts)
	if err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	windows, fetches := j.expect(protocol.MsgWindows), j.expect(protocol.MsgFetch)
	defer j.forget(protocol.MsgWindows, protocol.MsgFetch)
	if err := h.send(ctx, protocol.MsgBounds, bounds); err != nil {
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
		h.cutToFinished()
	}
	figures := aggregate.New(opts, w.Windows)
	if _, err := h.readAll(figures.Write); err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	s := figures.Snapshot()
	h.summarize(s, h.correction.Offset)
	text, err := h.encode(s)
	if err != nil {
		return err
	}
	if err := h.send(ctx, protocol.MsgAggregated, h.runEnd()); err != nil {
		return err
	}
	return h.serveFetches(ctx, fetches, text)
}

// bounds returns the bounds of this client's operations. If it measured only a part of the benchmark, they have the bounds of the phases
// that it finished, too.
func (h *handover) bounds(opts aggregate.Options) (b protocol.Bounds, err error) {
	b.Bounds = aggregate.NewBounds(opts)
	read, err := h.readAll(b.Bounds.Write)
	if err != nil {
		return b, err
	}
	missing := h.rec.seen() - read
	if missing > 0 {
		h.warn("%d of its %d operations could not be recorded and are missing from the result: %v", missing, h.rec.seen(), h.rec.failed)
	}
	b.Cut = h.cutReason(read)
	if b.Cut == "" || missing > 0 || !h.measured.Finished.Measured {
		return b, nil
	}
	b.Phases, b.Finished = h.measured.Finished.Phases, aggregate.NewBounds(opts)
	_, err = h.rec.each(h.measured.Finished.Until, h.correction, &h.progressed, b.Finished.Write)
	return b, err
}

// cutReason is why the recording has only a part of the benchmark; empty: it has all of it.
func (h *handover) cutReason(recorded int64) transport.PeerText {
	why, interrupted := []error{h.failed}, h.measured.Interrupted
	if stopped := h.job.stoppedBy(); interrupted && stopped != nil && stopped != errStopped {
		why = append(why, stopped)
	}
	if seen := h.rec.seen(); recorded < seen {
		why = append(why, fmt.Errorf("recorded %d of %d operations: %w", recorded, seen, h.rec.failed))
	}
	if err := errors.Join(why...); err != nil {
		return protocol.Short(err)
	}
	return ""
}

// cutToFinished limits what is handed over to the phases that this client finished.
func (h *handover) cutToFinished() {
	h.until = h.measured.Finished.Until
	h.measured.CutToFinished()
}

// send sends a document. Each chunk counts as progress.
func (h *handover) send(ctx context.Context, kind string, body any) error {
	return h.job.session.SendDocument(ctx, kind, body, func() { h.progressed.Add(1) })
}

// readAll reads the recording, which does not exist without operations.
func (h *handover) readAll(use func([]op.Op) error) (int64, error) {
	if h.rec.seen() == 0 {
		return 0, nil
	}
	return h.rec.each(h.until, h.correction, &h.progressed, use)
}

// serveFetches hands over the snapshot and then, unless the coordinator sends keep, the recording.
func (h *handover) serveFetches(ctx context.Context, fetches <-chan transport.Frame, snapshot []byte) error {
	j := h.job
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
			err = h.send(ctx, protocol.MsgSnapshot, snapshot)
		} else {
			err = h.stream(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream hands over the recording, with its times corrected.
func (h *handover) stream(ctx context.Context) error {
	header, err := h.job.self.header(h.start, h.endClock, true)
	if err != nil {
		return err
	}
	out := &chunker{ctx: ctx, session: h.job.session}
	w, err := recording.NewWriter(out, header)
	if err != nil {
		return err
	}
	n, err := h.readAll(w.Write)
	if err != nil {
		return err
	}
	if err := errors.Join(w.SetEnd(h.ownEnd()), w.Close()); err != nil {
		return err
	}
	return h.job.session.Send(ctx, protocol.MsgHandedOver, protocol.HandedOver{Operations: n, Bytes: out.bytes})
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

// encode encodes the message of a snapshot. One that is too long loses its details, which are the largest part.
func (h *handover) encode(s *aggregate.Snapshot) ([]byte, error) {
	b, err := h.encodeGroups(s)
	if limit := h.job.opts.snapshot; err == nil && len(b) > limit {
		h.warn("its statistics have %d MiB, and at most %d MiB can be sent: "+
			"segments of hosts and times of segments are missing from this result; \"warp analyze\" of the recording has them, "+
			"and a longer --analyze.dur makes them fewer", len(b)>>20, limit>>20)
		s.DropDetails()
		b, err = h.encodeGroups(s)
	}
	return b, err
}

// encodeGroups encodes a snapshot. Each group counts as progress.
func (h *handover) encodeGroups(s *aggregate.Snapshot) ([]byte, error) {
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
			h.progressed.Add(1)
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
