package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
)

// maxTransfers is how many clients hand over at a time: each one costs memory here.
const maxTransfers = 8

// collector collects the results of the clients of a run.
type collector struct {
	run       *coordinator
	windows   *aggregate.Windows // that all clients have in common
	transfers chan struct{}      // has an element for each client that hands over
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
			c.results.warn("cannot collect the recordings, which the clients keep: %v", err)
			c.mu.Unlock()
		}
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears temporary files
	files := make([]string, len(c.members.all))
	var wg sync.WaitGroup
	for _, m := range c.members.all {
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
	k.allowCleanup()
	files = slices.DeleteFunc(files, func(path string) bool { return path == "" })
	if len(files) == 0 {
		return nil
	}
	if err := c.opts.Merge(ctx, c.opts.Recording, files, k.result()); err != nil {
		return fmt.Errorf("merge the recordings: %w", err)
	}
	return nil
}

// result returns the result so far.
func (k *collector) result() *Result {
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	return k.run.results.partial(k.run.members.all, &k.run.phases, &k.run.searches)
}

// groups is how many kinds of operations a client may report.
func (k *collector) groups() int {
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	return k.run.searches.maxGroups(k.run.plan)
}

// bounds waits until all clients have measured, and returns their bounds by number.
func (k *collector) bounds() []protocol.Bounds {
	c := k.run
	all := make([]protocol.Bounds, len(c.members.all))
	var wg sync.WaitGroup
	probes := make(chan struct{}, maxParallel)
	for _, m := range c.members.all {
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
	defer k.run.unlock()
	m.contribution.endClock = end
	k.run.members.send(m, protocol.MsgEndClock, protocol.EndClock{Clock: end})
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
	c.send(m, protocol.MsgWindows, protocol.Windows{Windows: k.windows, Finished: m.contribution.finished > 0})
	var end protocol.RunEnd
	if err := m.handover.document(protocol.MsgAggregated, &end); err != nil {
		return err
	}
	if err := checkReplays(end.Replays); err != nil {
		return err
	}
	c.mu.Lock()
	m.contribution.end = end
	leftOut := m.contribution.leftOut
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
	m.contribution.recorded = n
	return err
}

// add adds the statistics of a client to the result.
func (k *collector) add(m *member, s *aggregate.Snapshot) error {
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	if err := k.run.results.add(s); err != nil {
		return err
	}
	m.contribution.add(s)
	return nil
}

// failed handles an incomplete handover. The client is dropped unless the error is of this machine.
func (k *collector) failed(m *member, err error) {
	c := k.run
	c.mu.Lock()
	defer c.unlock()
	if errors.Is(err, errHandoverEnded) || m.err != nil {
		return // it reports the reason itself
	}
	if m.contribution.inResult {
		m.contribution.unrecorded = true
		c.results.warn("the merged recording lacks that of client %s: %v", m.addr, err)
	}
	if local := (*storageError)(nil); !errors.As(err, &local) {
		c.members.drop(m, err)
	}
}

// allowCleanup lets the clients clean up, now that their results are safe.
func (k *collector) allowCleanup() {
	c := k.run
	c.mu.Lock()
	defer c.unlock()
	c.barriers.mayCleanUp = true
	if c.phases.begun && c.results.aborted == nil {
		if r := c.results.partial(c.members.all, &c.phases, &c.searches); r.InResult > 0 {
			c.observe(func(o Observer) { o.Measured(r) })
		}
	}
	c.release()
}

// minShare is the share of the others' time that a client must have measured to be in the result. The windows of the result then end with
// it. A client with less is left out, so that it does not cost the measurements of all others.
const minShare = 0.9

// commonWindows returns the windows that the clients have in common. If a client measured too little, they lack the phase that it did not
// finish, or the client.
func (k *collector) commonWindows(all []protocol.Bounds) *aggregate.Windows {
	base := aggregate.NewBounds(k.run.opts.Statistics)
	furthest := -1 // phases that a client in the result finished
	for _, m := range k.furthestFirst(all) {
		b := &all[m.index]
		switch phases := k.phasesOf(b); {
		case phases < furthest && !k.fits(m, base, b.Bounds):
			k.dropUnfinished(m, base, b)
		case k.include(m, base, b.Bounds):
			furthest = max(furthest, phases)
		}
	}
	return base.Windows()
}

// furthestFirst returns the clients that sent bounds, sorted by the number of phases that they finished, most first.
func (k *collector) furthestFirst(all []protocol.Bounds) (list []*member) {
	c := k.run
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range all {
		if m := c.members.all[i]; all[i].Bounds != nil {
			m.contribution.cut = string(all[i].Cut)
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

// dropUnfinished leaves the phase out that a client did not finish, or the client if it finished none.
func (k *collector) dropUnfinished(m *member, base *aggregate.Bounds, b *protocol.Bounds) {
	partly := b.Phases > 0 && k.include(m, base, b.Finished)
	k.run.mu.Lock()
	defer k.run.mu.Unlock()
	if m.contribution.leftOut = !partly; partly {
		m.contribution.finished = b.Phases
	}
}

// include adds the bounds of a client to the bounds of others, or drops the client.
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
		same := func(s aggregate.GroupWindow) bool { return s.Phase == a.Phase && s.Kind == a.Kind }
		return a.Phase != op.PhasePrepare && !slices.ContainsFunc(some.Groups, same)
	})
}

// shrinks reports whether some window of a benchmark is much shorter, or follows another rule, with the operations of one more client.
// A window that covers all of its phase does not become shorter with them: then the client's own window counts.
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
