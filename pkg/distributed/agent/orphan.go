package agent

import (
	"cmp"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
)

// cleanupDelay is how long an orphaned client waits before deleting shared data. It cannot know whether the others have lost
// the coordinator as well, or still read the data; so it waits until they must be done.
type cleanupDelay struct {
	shared   bool          // the data are shared
	duration time.Duration // of the benchmark
	asked    time.Time     // the benchmark does not begin before this
	until    time.Time     // zero: the benchmark has not begun
}

const (
	// readGrace is how long others may still read after the end of the benchmark.
	readGrace = time.Minute
	// openEndedRun is the assumed duration of a benchmark without one.
	openEndedRun = time.Hour
)

func newCleanupDelay(st *protocol.Start, here func(int64) time.Time) cleanupDelay {
	p := cleanupDelay{shared: st.Plan.SharedData, asked: here(st.StartAt)}
	for i := range st.Plan.Phases {
		p.duration += cmp.Or(st.Plan.Phases[i].Length(), openEndedRun)
	}
	return p
}

// ready is called when this client is ready for the benchmark: from now on the others may begin it.
func (p *cleanupDelay) ready() { p.countFrom(clock.Now()) }

// started is called with the start of the benchmark, or the error that prevents it.
func (p *cleanupDelay) started(start time.Time, err error) {
	if err != nil {
		p.until = time.Time{}
		return
	}
	p.countFrom(start)
}

func (p *cleanupDelay) countFrom(t time.Time) {
	if t.Before(p.asked) {
		t = p.asked
	}
	p.until = t.Add(p.duration + readGrace)
}

// wait waits until the others must be done, or the agent is shut down.
func (p *cleanupDelay) wait(j *job) {
	left := p.until.Sub(clock.Now())
	if !p.shared || p.until.IsZero() || left <= 0 {
		return
	}
	text := "waiting to delete shared data until " + p.until.UTC().Format(time.RFC3339) + ", because other clients may be reading it"
	j.agent.opts.Logf("The coordinator is lost: %s.", text)
	j.setWaitReason(text)
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
	case <-j.leaving:
	}
}
