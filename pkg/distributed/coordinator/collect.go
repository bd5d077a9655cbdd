package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
)

// maxTransfers is how many clients hand over at a time: each one costs memory here.
const maxTransfers = 8

// collect collects the results of the clients: bounds of all, then a snapshot of each over the windows that they have in
// common, then the recordings.
func (c *coordinator) collect(ctx context.Context) error {
	w := c.windows()
	dir, err := c.tempDir()
	if err != nil {
		c.warn("cannot collect the recordings, which the clients keep: %v", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears temporary files
	files := make([]string, len(c.members))
	slots := make(chan struct{}, maxTransfers)
	var wg sync.WaitGroup
	for _, m := range c.members {
		wg.Go(func() {
			path := ""
			if dir != "" {
				path = fmt.Sprintf("%s/%06d.csv.zst", dir, m.index)
			}
			if err := c.fetch(m, w, path, slots); err != nil {
				c.handoverFailed(m, err)
			} else {
				files[m.index] = path
			}
		})
	}
	wg.Wait()
	c.releaseCleanup()
	if dir == "" {
		return nil
	}
	if err := c.merge(ctx, files); err != nil {
		return fmt.Errorf("merge the recordings: %w", err)
	}
	return nil
}

// windows waits until all clients have measured, and returns the windows that they have in common.
func (c *coordinator) windows() *aggregate.Windows {
	all := make([]protocol.Bounds, len(c.members))
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for _, m := range c.members {
		wg.Go(func() {
			b := protocol.Bounds{Bounds: aggregate.NewBounds(c.opts.Statistics)}
			err := c.sendEndClock(m, slots)
			if err == nil {
				err = c.receiveDocument(m, protocol.MsgBounds, &b)
			}
			if err == nil {
				err = c.checkBounds(m, b.Bounds)
			}
			if err != nil {
				c.handoverFailed(m, err)
				m.handover.end()
				return
			}
			all[m.index] = b
		})
	}
	wg.Wait()
	return c.commonWindows(all)
}

// sendEndClock waits until the client has measured, and sends it the offset of its clock, which its statistics need.
func (c *coordinator) sendEndClock(m *member, slots chan struct{}) error {
	if err := c.receiveDocument(m, protocol.MsgMeasured, nil); err != nil {
		return err
	}
	slots <- struct{}{}
	k := m.link.endClock()
	<-slots
	c.mu.Lock()
	m.endClock = k
	c.mu.Unlock()
	c.send(m, protocol.MsgParting, protocol.Parting{Clock: k})
	return nil
}

// stalled reports whether a client in its handover made no progress since a time, and for longer than stall.
func (c *coordinator) stalled(m *member, since time.Time, stall time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.live.Stage != protocol.StageReport {
		return false // the watchdog covers the other stages
	}
	if m.live.moved.After(since) {
		since = m.live.moved
	}
	return clock.Now().Sub(since) > stall+c.grace(m)
}

// send sends a message to a client.
func (c *coordinator) send(m *member, kind string, body any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.command(m, kind, body)
}

// fetch fetches the snapshot of a client and, to a path, its recording.
func (c *coordinator) fetch(m *member, w *aggregate.Windows, path string, slots chan struct{}) error {
	select {
	case <-m.handover.done:
		return errHandoverEnded
	default:
	}
	c.send(m, protocol.MsgWindows, protocol.Windows{Windows: w})
	var end protocol.RunEnd
	if err := c.receiveDocument(m, protocol.MsgAggregated, &end); err != nil {
		return err
	}
	c.mu.Lock()
	m.end = end
	leftOut := m.leftOut
	c.mu.Unlock()
	if leftOut {
		c.send(m, protocol.MsgKeep, struct{}{})
		return errHandoverEnded
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	c.send(m, protocol.MsgFetch, protocol.Fetch{What: protocol.MsgSnapshot})
	var s protocol.Snapshot
	err := c.receiveDocument(m, protocol.MsgSnapshot, &s)
	if err == nil {
		err = c.checkSnapshot(m, s.Snapshot)
	}
	if err == nil {
		err = c.add(m, s.Snapshot)
	}
	if err != nil {
		return err
	}
	if path == "" {
		c.send(m, protocol.MsgKeep, struct{}{})
		return nil
	}
	c.send(m, protocol.MsgFetch, protocol.Fetch{What: "recording"})
	return c.receiveRecording(m, path)
}

// add adds the statistics of a client to the result.
func (c *coordinator) add(m *member, s *aggregate.Snapshot) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.result.Snapshot == nil {
		c.result.Snapshot = &aggregate.Snapshot{}
	}
	if c.common {
		// Its first read of an object need not be the first of all clients; that takes the merged recording.
		for _, g := range s.Groups {
			g.FirstAccess, g.FirstAccessTTFB, g.LastAccess, g.LastAccessTTFB = nil, nil, nil, nil
		}
	}
	if err := c.result.Snapshot.Merge(s); err != nil {
		return transport.Violationf("%s", err.Error())
	}
	m.inResult = true
	for _, g := range s.Groups {
		m.requests += g.Requests
		if g.Phase != op.PhasePrepare && !g.First.IsZero() && (m.first.IsZero() || g.First.Before(m.first)) {
			m.first = g.First
		}
	}
	return nil
}

// storageError is an error of this machine, not of the client, in keeping a recording.
type storageError struct{ error }

// receiveRecording writes the recording of a client to a file. If that fails the rest is received all the same: the client has
// done its part.
func (c *coordinator) receiveRecording(m *member, path string) error {
	f, failed := os.Create(path)
	if failed == nil {
		defer func() { _ = f.Close() }() // closed before, unless there is an error
	}
	bytes := int64(0)
	for {
		piece, err := c.receiveChunk(m)
		if err != nil {
			return err
		}
		if piece.Kind == protocol.MsgHanded {
			var h protocol.Handed
			if err := piece.Open(&h); err != nil {
				return err
			}
			if h.Bytes != bytes {
				return transport.Violationf("received %d bytes of the recording, want %d", bytes, h.Bytes)
			}
			if failed == nil {
				failed = f.Close()
			}
			if failed != nil {
				return &storageError{failed}
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			m.handed = h.Operations
			return nil
		}
		bytes += int64(len(piece.Body))
		if failed == nil {
			_, failed = f.Write(piece.Body)
		}
	}
}

// receiveChunk returns the next chunk of a recording, or its end.
func (c *coordinator) receiveChunk(m *member) (transport.Frame, error) {
	stall := c.opts.Timing.Stall
	t := time.NewTimer(stall + c.opts.Grace)
	defer t.Stop()
	select {
	case f := <-m.handover.frames:
		if f.Kind != transport.Chunk && f.Kind != protocol.MsgHanded {
			return f, transport.Violationf("unexpected message %q in the recording", f.Kind)
		}
		return f, nil
	case <-m.handover.done:
		return transport.Frame{}, errors.New("the handover of the recording was cut off")
	case <-t.C:
		return transport.Frame{}, fmt.Errorf("no progress in handing over the recording for %v", stall)
	}
}

// handoverFailed handles an incomplete handover. The client is dropped unless the error is of this machine.
func (c *coordinator) handoverFailed(m *member, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, errHandoverEnded) || m.err != nil {
		return // it reports the reason itself
	}
	if m.inResult {
		m.unrecorded = true
		c.result.Warnings = append(c.result.Warnings, fmt.Sprintf("the merged recording lacks that of client %s: %v", m.addr, err))
	}
	if local := (*storageError)(nil); !errors.As(err, &local) {
		c.drop(m, err)
	}
}

// warn adds a warning to the result.
func (c *coordinator) warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Warnings = append(c.result.Warnings, fmt.Sprintf(format, args...))
}

// releaseCleanup lets clients clean up, now that their results are safe.
func (c *coordinator) releaseCleanup() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = true
	if c.begun && c.aborted == nil {
		if r := c.partialResult(); r.InResult > 0 {
			c.observe(func(o Observer) { o.Measured(r) })
		}
	}
	c.releaseBarriers()
}

var errHandoverEnded = errors.New("nothing was handed over")

// receiveDocument returns the next message of the handover, which may be a document, in v unless that is nil.
func (c *coordinator) receiveDocument(m *member, kind string, v any) error {
	message := transport.Assembly{Kind: kind, Limit: protocol.Wire.Documents[kind]}
	for {
		f, err := c.receiveFrame(m)
		if err != nil {
			return err
		}
		whole, err := message.Add(&f)
		switch {
		case err != nil:
			return err
		case !whole:
		case v == nil:
			return nil
		default:
			return f.Open(v)
		}
	}
}

// receiveFrame returns the next frame of the handover, or an error if the client stalls.
func (c *coordinator) receiveFrame(m *member) (transport.Frame, error) {
	stall := c.opts.Timing.Stall
	tick := time.NewTicker(max(stall/10, time.Millisecond))
	defer tick.Stop()
	since := clock.Now()
	for {
		select {
		case f := <-m.handover.frames:
			return f, nil
		case <-m.handover.done:
			return transport.Frame{}, errHandoverEnded
		case <-tick.C:
			if c.stalled(m, since, stall) {
				return transport.Frame{}, fmt.Errorf("no progress in handing over results for %v", stall)
			}
		}
	}
}
