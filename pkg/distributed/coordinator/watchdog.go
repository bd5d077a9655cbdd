package coordinator

import (
	"fmt"
	"slices"
	"time"

	"warp/pkg/bench"
)

// watchdog finds clients that block the others. It reads under the coordinator's lock.
type watchdog struct {
	members  []*member
	barriers *barriers
	phases   *phases
}

// check returns a notice about a client, or the reason to drop it. blocked is what othersBlocked reports.
func (w *watchdog) check(m *member, blocked bool, now time.Time) (notice string, why error) {
	if !m.active() {
		return "", nil
	}
	p := w.phases
	still, stall, grace := now.Sub(m.progress.movedAt), m.opts.Timing.Stall, m.grace()
	late := w.overdue(m, now)
	switch {
	case !m.connected && blocked && now.Sub(m.lostAt) > m.opts.Grace:
		return "", fmt.Errorf("no reconnect within %v", m.opts.Grace)
	case late != nil && still > stall+grace:
		return "", late
	case p.stage == bench.StageCleanup && !w.barriers.hold(m) && still > 4*stall+grace:
		return "", fmt.Errorf("no progress in clean-up for %v", still.Round(time.Second))
	case m.progress.warned || still <= stall:
		return "", nil
	case !p.begun && !p.stopping && !m.progress.hasReached(bench.StageBenchmark):
		// Large objects may take any time, so the user decides.
		notice = fmt.Sprintf("Client %s has made no progress in its preparation for %v; all clients wait for it.", m.addr, stall)
	case p.begun && p.deadline.IsZero() && w.awaited(m):
		// A phase without a time limit: an operation may take any time.
		notice = fmt.Sprintf("Client %s has made no progress for %v; all clients wait for it.", m.addr, stall)
	}
	m.progress.warned = notice != ""
	return notice, nil
}

// othersBlocked reports whether all connected clients are past the phase or trial, or the benchmark has not begun. A lost client then
// blocks them, and gets only the grace period; while the benchmark goes on there is time.
func (w *watchdog) othersBlocked() bool {
	return !w.phases.begun || !slices.ContainsFunc(w.members, func(m *member) bool {
		return m.active() && m.connected && m.progress.Stage == bench.StageBenchmark &&
			!m.progress.hasReached(bench.StageCleanup) && !w.barriers.hold(m)
	})
}

// awaited reports whether all other clients have finished the phase, and wait for m.
func (w *watchdog) awaited(m *member) bool {
	waiting := false
	for _, o := range w.members {
		switch finished := w.barriers.hold(o) || o.progress.pastPhases(); {
		case !o.active():
		case finished == (o == m):
			return false
		case finished:
			waiting = true
		}
	}
	return waiting
}

// overdue is the reason to drop a client that still measures long after the end of the benchmark, or does not stop; nil if there is none.
func (w *watchdog) overdue(m *member, now time.Time) error {
	p := w.phases
	if m.progress.pastPhases() || p.deadline.IsZero() || now.Sub(p.deadline) <= 2*m.opts.Timing.Stall {
		return nil
	}
	late := now.Sub(p.deadline).Round(time.Second)
	switch {
	case p.stopping:
		return fmt.Errorf("still running %v after the request to stop", late)
	case !w.barriers.hold(m) && m.progress.hasReached(bench.StageBenchmark) && m.progress.Stage != bench.StagePrepare:
		return fmt.Errorf("still measuring %v after the end of the benchmark", late)
	}
	return nil
}
