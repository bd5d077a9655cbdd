package coordinator

import (
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
)

// progress is how far a client has come.
type progress struct {
	protocol.Count                           // newest
	stages         map[string]protocol.Count // latest of each stage
	movedAt        time.Time                 // time of the last progress
	warned         bool                      // the user knows that the client makes no progress
	reached        map[string]int            // number of barriers reached, by stage
	firstFailure   protocol.Arrival          // the first arrival with an error
	measured       bool                      // the client has measured all that it will
	done           *protocol.Done            // its last message
}

func newProgress(now time.Time) progress {
	return progress{stages: make(map[string]protocol.Count), movedAt: now, reached: make(map[string]int)}
}

// advance records progress, and reports whether it is the newest. Live messages queue behind others, so they may be old.
func (p *progress) advance(k protocol.Count, now time.Time) bool {
	if k.At < p.At {
		return false
	}
	if p.Stage != k.Stage || p.Done != k.Done {
		p.movedAt = now
	}
	p.Count, p.stages[k.Stage] = k, k
	return true
}

// hasReached reports whether the client has reached a barrier of a stage.
func (p *progress) hasReached(stage string) bool { return p.reached[stage] > 0 }

// pastPhases reports whether the client has left all phases behind: it hands over its results, or cleans up.
func (p *progress) pastPhases() bool {
	return p.Stage == protocol.StageReport || p.hasReached(bench.StageCleanup)
}

// pastStage reports whether the client has reached a barrier of a later stage.
func (p *progress) pastStage(stage string) bool {
	for reached := range p.reached {
		if protocol.StageOrder(reached) > protocol.StageOrder(stage) {
			return true
		}
	}
	return false
}
