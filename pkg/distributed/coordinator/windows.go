package coordinator

import (
	"slices"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
)

// minShare is the share of the others' time that a client must have measured to be in the result, whose windows then end
// with it. With less it is left out, so that one client does not cost the measurements of all others.
const minShare = 0.9

// commonWindows returns the windows that the clients have in common, and leaves out clients that measured too little.
func (k *collector) commonWindows(all []protocol.Bounds) *aggregate.Windows {
	c := k.run
	base := aggregate.NewBounds(c.opts.Statistics)
	whole := false
	var cut []*member
	for i, b := range all {
		m := c.members[i]
		switch {
		case b.Bounds == nil:
		case b.Cut != "":
			c.mu.Lock()
			m.cut = string(b.Cut)
			c.mu.Unlock()
			cut = append(cut, m)
		default:
			whole = k.include(m, base, b.Bounds) || whole
		}
	}
	for _, m := range cut {
		with := aggregate.NewBounds(c.opts.Statistics)
		if !k.include(m, with, all[m.index].Bounds) {
			continue
		}
		_ = with.Merge(base) // their options are the same
		alone := all[m.index].Bounds.Windows()
		if before := base.Windows(); whole && (lacksGroup(before, alone) || shrinks(before, with.Windows())) {
			c.mu.Lock()
			m.leftOut = true
			c.mu.Unlock()
			continue
		}
		base = with
	}
	return base.Windows()
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

// shrinks reports whether some window of a benchmark is much shorter, or follows another rule.
func shrinks(before, after *aggregate.Windows) bool {
	for _, b := range before.Groups {
		for _, a := range after.Groups {
			if a.Phase == b.Phase && a.Kind == b.Kind && a.Phase != op.PhasePrepare &&
				(a.Loose != b.Loose || a.Duration().Seconds() < minShare*b.Duration().Seconds()) {
				return true
			}
		}
	}
	return false
}
