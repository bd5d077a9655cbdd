package distributed

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// options is what the statistics are to be.
func (st *start) options() aggregate.Options {
	return aggregate.Options(st.Options)
}

// handOver computes figures from the recording in two passes, of which the second needs the windows that all clients have
// in common, and hands over what the coordinator asks for.
func (r *relay) handOver(ctx context.Context) error {
	j, opts := r.job, r.start.options()
	bounds := aggregate.NewBounds(opts)
	read, err := r.readAll(bounds.Write)
	if err != nil {
		return fmt.Errorf("read its own recording: %w", err)
	}
	if missing := r.rec.seen.Load() - read; missing > 0 {
		r.warn("it could not record %d of its %d operations, which are missing from the result: %v", missing, r.rec.seen.Load(), r.rec.failed)
	}
	answer, asked := j.expect(msgWindows), j.expect(msgFetch)
	defer j.forget(msgWindows, msgFetch)
	if err := r.send(ctx, msgBounds, boundsBody{bounds, r.cut(read)}); err != nil {
		return err
	}
	var w windows
	if err := j.await(ctx, answer, &w); err != nil {
		return err
	}
	if w.Windows == nil {
		return errors.New("the coordinator sent no windows")
	}
	figures := aggregate.New(opts, w.Windows)
	if _, err := r.readAll(figures.Write); err != nil {
		return fmt.Errorf("read its own recording: %w", err)
	}
	s := figures.Snapshot()
	r.summarize(s)
	text, err := r.encode(s)
	if err != nil {
		return err
	}
	if err := r.send(ctx, msgAggregated, r.ended()); err != nil {
		return err
	}
	return r.obey(ctx, asked, text)
}

// send sends a document. Each piece of it is progress.
func (r *relay) send(ctx context.Context, kind string, body any) error {
	return r.job.session.sendDocument(ctx, kind, body, func() { r.work.Add(1) })
}

// readAll reads the recording; one without operations is not there.
func (r *relay) readAll(use func([]op.Op) error) (int64, error) {
	if r.rec.seen.Load() == 0 {
		return 0, nil
	}
	return r.rec.each(r.correct, &r.work, use)
}

// obey hands over the snapshot and then, unless it is to be kept, the recording.
func (r *relay) obey(ctx context.Context, asked <-chan frame, snapshot []byte) error {
	j := r.job
	for _, what := range []string{msgSnapshot, msgChunk} {
		var f frame
		select {
		case f = <-asked:
		case <-j.session.done:
			return j.session.reason()
		}
		if f.kind == msgKeep {
			return nil
		}
		asked = j.expect(msgFetch)
		var err error
		if what == msgSnapshot {
			err = r.send(ctx, msgSnapshot, snapshot)
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
func (r *relay) stream(ctx context.Context) error {
	h, err := r.start.header(r.job.client, r.parting, true)
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
	return r.job.session.send(ctx, msgHanded, handed{n, out.bytes})
}

// chunker is an io.Writer into a session. The session's window is what slows it down to the pace of the other side.
type chunker struct {
	ctx     context.Context
	session *session
	bytes   int64
}

// Write sends p in pieces.
func (c *chunker) Write(p []byte) (n int, err error) {
	for n < len(p) {
		piece := p[n:min(n+chunkSize, len(p))]
		if err := c.session.send(c.ctx, msgChunk, append([]byte(nil), piece...)); err != nil {
			return n, err
		}
		n += len(piece)
		c.bytes += int64(len(piece))
	}
	return n, nil
}
