package bench

import (
	"fmt"

	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// waiting says what a phase waits for after sending has stopped.
func (r *Run) waiting(turns int, cut bool) {
	r.env.Observer.Notice(waitingText(&r.plan.Target, turns, cut))
}

// waitingText gives the number of operations in flight, their hosts, and the maximum wait.
func waitingText(target *s3.Config, turns int, cut bool) string {
	limit := fmt.Sprintf("each has %v until its response begins (--timeout)", target.FirstByteLimit())
	if cut {
		limit = fmt.Sprintf("they are cancelled %v after the end of the phase", grace)
	}
	return fmt.Sprintf("Waiting for %s in flight at %s; %s.", units.Plural(int64(turns), "operation"), preflight.HostsOf(target), limit)
}
