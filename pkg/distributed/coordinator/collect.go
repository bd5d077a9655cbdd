package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
)

// maxTransfers is how many clients hand over at a time: each one costs memory here.
const maxTransfers = 8

// collector collects the results of the clients of a run.
type collector struct {
	run       *coordinator
	windows   *aggregate.Windows // that all clients have in common
	transfers chan struct{}      // holds one for each client that hands over
}

// collect collects bounds of all clients, then a snapshot of each over the windows that they have in common, then the recordings.
func collect(ctx context.Context, c *coordinator) error {
	k := &collector{run: c, transfers: make(chan struct{}, maxTransfers)}
	k.windows = k.commonWindows(k.bounds())
	dir := ""
	if c.opts.Recording != nil {
		var err error
		if dir, err = os.MkdirTemp(c.opts.TempDir, "warp-recordings-"); err != nil {
			c.mu.Lock()
			c.result.Warnings = append(c.result.Warnings, fmt.Sprintf("cannot collect the recordings, which the clients keep: %v", err))
			c.mu.Unlock()
		}
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears temporary files
	files := make([]string, len(c.members))
	var wg sync.WaitGroup
	for _, m := range c.members {
		wg.Go(func() {
			path := ""
			if dir != "" {
				path = fmt.Sprintf("%s/%06d.csv.zst", dir, m.index)
			}
			if err := k.fetch(m, path); err != nil {
				k.failed(m, err)
			} else {
				files[m.index] = path
			}
		})
	}
	wg.Wait()
	releaseCleanup(c)
	files = slices.DeleteFunc(files, func(path string) bool { return path == "" })
	if len(files) == 0 {
		return nil
	}
	c.mu.Lock()
	r := partialResult(c)
	c.mu.Unlock()
	if err := c.opts.Merge(ctx, c.opts.Recording, files, r); err != nil {
		return fmt.Errorf("merge the recordings: %w", err)
	}
	return nil
}

// groups is how many kinds of operations a client may report.
func (k *collector) groups() int {
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	return maxGroups(k.run)
}

// concatenate writes recordings one after the other, which is a valid recording, though not in order of time.
func concatenate(_ context.Context, w io.Writer, files []string, _ *Result) error {
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// bounds waits until all clients have measured, and returns their bounds by number.
func (k *collector) bounds() []protocol.Bounds {
	c := k.run
	all := make([]protocol.Bounds, len(c.members))
	var wg sync.WaitGroup
	probes := make(chan struct{}, maxParallel)
	for _, m := range c.members {
		wg.Go(func() {
			b := protocol.Bounds{Bounds: aggregate.NewBounds(c.opts.Statistics), Finished: aggregate.NewBounds(c.opts.Statistics)}
			err := k.sendEndClock(m, probes)
			if err == nil {
				err = m.handover.document(protocol.MsgBounds, &b)
			}
			if err == nil {
				err = checkBounds(m.id, &b, k.groups(), len(c.plan.Phases))
			}
			if err != nil {
				k.failed(m, err)
				m.handover.end()
				return
			}
			all[m.index] = b
		})
	}
	wg.Wait()
	return all
}

// sendEndClock waits until the client has measured, and sends it the offset of its clock, which its statistics need.
func (k *collector) sendEndClock(m *member, probes chan struct{}) error {
	if err := m.handover.document(protocol.MsgMeasured, nil); err != nil {
		return err
	}
	probes <- struct{}{}
	end := m.link.endClock()
	<-probes
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	m.endClock = end
	k.run.command(m, protocol.MsgEndClock, protocol.EndClock{Clock: end})
	return nil
}

// fetch fetches the snapshot of a client and, to a path, its recording.
func (k *collector) fetch(m *member, path string) error {
	select {
	case <-m.handover.done:
		return errHandoverEnded
	default:
	}
	c := k.run
	c.send(m, protocol.MsgWindows, protocol.Windows{Windows: k.windows, Finished: m.finished > 0})
	var end protocol.RunEnd
	if err := m.handover.document(protocol.MsgAggregated, &end); err != nil {
		return err
	}
	if err := checkReplays(end.Replays); err != nil {
		return err
	}
	c.mu.Lock()
	m.end = end
	leftOut := m.leftOut
	c.mu.Unlock()
	if leftOut {
		c.send(m, protocol.MsgKeepResults, struct{}{})
		return errHandoverEnded
	}
	k.transfers <- struct{}{}
	defer func() { <-k.transfers }()
	c.send(m, protocol.MsgFetch, protocol.Fetch{What: protocol.MsgSnapshot})
	var s protocol.Snapshot
	err := m.handover.document(protocol.MsgSnapshot, &s)
	if err == nil {
		err = checkSnapshot(m.id, s.Snapshot, k.groups(), len(c.plan.Target.Hosts))
	}
	if err == nil {
		err = k.add(m, s.Snapshot)
	}
	if err != nil {
		return err
	}
	if path == "" {
		c.send(m, protocol.MsgKeepResults, struct{}{})
		return nil
	}
	c.send(m, protocol.MsgFetch, protocol.Fetch{What: "recording"})
	n, err := m.handover.recording(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	m.handed = n
	return err
}

// add adds the statistics of a client to the result.
func (k *collector) add(m *member, s *aggregate.Snapshot) error {
	c := k.run
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.result.Snapshot == nil {
		c.result.Snapshot = &aggregate.Snapshot{Order: c.opts.Statistics.Order}
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
		if !g.Kind.Whole() {
			m.requests += g.Requests
		}
		if g.Phase != op.PhasePrepare && !g.First.IsZero() && (m.first.IsZero() || g.First.Before(m.first)) {
			m.first = g.First
		}
	}
	return nil
}

// failed handles an incomplete handover. The client is dropped unless the error is of this machine.
func (k *collector) failed(m *member, err error) {
	c := k.run
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

// releaseCleanup lets the clients clean up, now that their results are safe.
func releaseCleanup(c *coordinator) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = true
	if c.begun && c.aborted == nil {
		if r := partialResult(c); r.InResult > 0 {
			c.observe(func(o Observer) { o.Measured(r) })
		}
	}
	c.releaseBarriers()
}

// minShare is the share of the others' time that a client must have measured to be in the result, whose windows then end
// with it. With less it is left out, so that one client does not cost the measurements of all others.
const minShare = 0.9

// commonWindows returns the windows that the clients have in common. Of a client that measured too little it leaves out the phase that the client did
// not finish, or the client.
func (k *collector) commonWindows(all []protocol.Bounds) *aggregate.Windows {
	base := aggregate.NewBounds(k.run.opts.Statistics)
	furthest := -1 // phases that a client in the result finished
	for _, m := range k.furthestFirst(all) {
		b := &all[m.index]
		switch phases := k.phasesOf(b); {
		case phases < furthest && !k.fits(m, base, b.Bounds):
			k.cutOut(m, base, b)
		case k.include(m, base, b.Bounds):
			furthest = max(furthest, phases)
		}
	}
	return base.Windows()
}

// furthestFirst returns the clients that sent bounds, those first that finished most phases.
func (k *collector) furthestFirst(all []protocol.Bounds) (list []*member) {
	c := k.run
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		if m := c.members[i]; all[i].Bounds != nil {
			m.cut = string(all[i].Cut)
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *member) int { return k.phasesOf(&all[b.index]) - k.phasesOf(&all[a.index]) })
	return list
}

// phasesOf returns how many phases a client finished.
func (k *collector) phasesOf(b *protocol.Bounds) int {
	if b.Cut == "" {
		return len(k.run.plan.Phases)
	}
	return b.Phases
}

// fits reports whether the bounds of a client that was cut short hardly shorten the windows of the others.
func (k *collector) fits(m *member, base, bounds *aggregate.Bounds) bool {
	with := aggregate.NewBounds(k.run.opts.Statistics)
	if !k.include(m, with, bounds) {
		return true // it was dropped
	}
	alone, before := with.Windows(), base.Windows()
	_ = with.Merge(base) // their options are the same
	return !lacksGroup(before, alone) && !shrinks(before, with.Windows(), alone)
}

// cutOut leaves the phase out that a client did not finish, or the client if it finished none.
func (k *collector) cutOut(m *member, base *aggregate.Bounds, b *protocol.Bounds) {
	partly := b.Phases > 0 && k.include(m, base, b.Finished)
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	if m.leftOut = !partly; partly {
		m.finished = b.Phases
	}
}

// include adds the bounds of a client to those of others, or drops the client.
func (k *collector) include(m *member, to, bounds *aggregate.Bounds) bool {
	err := to.Merge(bounds)
	if err != nil {
		k.failed(m, err)
		m.handover.end()
	}
	return err == nil
}

// lacksGroup reports whether some kind of operation of a benchmark is missing.
func lacksGroup(all, some *aggregate.Windows) bool {
	return slices.ContainsFunc(all.Groups, func(a aggregate.GroupWindow) bool {
		return a.Phase != op.PhasePrepare && !slices.ContainsFunc(some.Groups, func(s aggregate.GroupWindow) bool { return s.Phase == a.Phase && s.Kind == a.Kind })
	})
}

// shrinks reports whether some window of a benchmark is much shorter, or follows another rule, with the operations of one more client.
// A window that is all of the time of its phase does not become shorter with them: then it is the client's own that counts.
func shrinks(before, after, alone *aggregate.Windows) bool {
	for _, b := range before.Groups {
		compared := after
		if b.AllTime {
			compared = alone
		}
		for _, a := range compared.Groups {
			if a.Phase == b.Phase && a.Kind == b.Kind && a.Phase != op.PhasePrepare &&
				(a.Loose != b.Loose || a.Duration().Seconds() < minShare*b.Duration().Seconds()) {
				return true
			}
		}
	}
	return false
}
