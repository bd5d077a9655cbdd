// Package metrics gives the totals of a run to programs that collect metrics: Prometheus, which asks for them, and others, to which they
// are sent. All of it is computed when somebody asks: nothing is counted for metrics.
package metrics

import (
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/observe"
)

// Figures are the values of metrics at one moment.
type Figures struct {
	Counts   []live.Count // totals by kind of operation; totals over all measured phases have no phase
	InFlight float64      // operations, on average over the last second

	Phase      string // that is being performed; empty: none is
	PhaseStart time.Time

	Command string // such as "get"
	Version string // of warp
	Store   string // its kind, such as "s3"; empty: not known

	Samples []observe.Sample // of the client itself, in order of time
	Limited bool             // it was the bottleneck over the last seconds
}

// maxHosts is the maximum number of hosts with series of their own; the others share one.
const maxHosts = 32

// otherHosts stands for the hosts beyond maxHosts.
const otherHosts = "other"

// hostNames limits hosts to those that came first.
type hostNames map[string]bool

func (n hostNames) name(host string) string {
	if !n[host] {
		if len(n) >= maxHosts {
			return otherHosts
		}
		n[host] = true
	}
	return host
}

// stageOf returns the stage of counts: benchmark, prepare or warmup.
func stageOf(c *live.Count) string {
	if c.Phase == "" {
		return "benchmark"
	}
	return c.Phase
}
