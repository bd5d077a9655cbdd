package agent

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// patience is how long a client that has lost its coordinator leaves shared data alone. It cannot know whether the others
// have lost it as well, or go on measuring and read what it would remove; so it waits until they must be done.
type cleanupDelay struct {
	shared   bool          // there is something to be patient for
	duration time.Duration // of the benchmark
	asked    time.Time     // before which the benchmark does not begin
	until    time.Time     // zero: others have nothing to read yet
}

const (
	// afterwards is how long others may still be reading when the time of the benchmark is over.
	readGrace = time.Minute
	// endless is how long a benchmark without an end is waited for.
	openEndedRun = time.Hour
)

func newCleanupDelay(st *protocol.Start, here func(int64) time.Time) cleanupDelay {
	p := cleanupDelay{shared: st.Plan.SharedData, asked: here(st.StartAt)}
	for i := range st.Plan.Phases {
		ph := &st.Plan.Phases[i]
		if ph.Duration == 0 {
			ph = &bench.Phase{Duration: openEndedRun}
		}
		p.duration += ph.Duration
	}
	return p
}

// arrive tells that this client is ready for the benchmark: from now on the others may begin it.
func (p *cleanupDelay) ready() { p.countFrom(clock.Now()) }

// begin tells when the benchmark begins, or that it does not.
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

// wait returns when others are done, or this client is to end.
func (p *cleanupDelay) wait(j *job) {
	left := p.until.Sub(clock.Now())
	if !p.shared || p.until.IsZero() || left <= 0 {
		return
	}
	text := "it leaves the shared data alone until " + p.until.UTC().Format(time.RFC3339) + ", because other clients may be reading it"
	j.client.opts.Logf("The coordinator is lost: %s.", text)
	j.setWaitReason(text)
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
	case <-j.leaving:
	}
}
