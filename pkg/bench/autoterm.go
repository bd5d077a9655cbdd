package bench

import (
	"fmt"

	"warp/pkg/aggregate/live"
	"warp/pkg/units"
)

// Autoterm ends a phase when its throughput is stable; see live.State.Stable.
type Autoterm live.Stability

// Notice returns the message that a throughput is stable; of names the client, and may be empty.
func (a *Autoterm) Notice(of string, now *live.Settled) string {
	throughput := fmt.Sprintf("%.2f obj/s", now.Rate)
	if now.ByBytes {
		throughput = units.Throughput(now.Rate)
	}
	return fmt.Sprintf("Throughput %s%s is stable: %s. Ending the benchmark.", throughput, of, a.Limits())
}

// Note returns the report's line about a stable throughput: its drift when the phase ended.
func (a *Autoterm) Note(now *live.Settled) string {
	drift := "no drift beyond its error"
	switch {
	case !now.Drift.Significant():
	case now.Drift.PerMinute > 0:
		drift = "throughput still rose"
	default:
		drift = "throughput still fell"
	}
	return fmt.Sprintf("Autoterm: stable, %s; in the last half of the phase %s: %v", a.Limits(), drift, now.Drift)
}

// Limits says when a throughput is stable.
func (a *Autoterm) Limits() string {
	within := fmt.Sprintf("within %g%%", a.Percent)
	if a.Slope > 0 {
		within = fmt.Sprintf("a range of %g%% and a slope of %g%%", a.Percent, a.Slope)
	}
	return fmt.Sprintf("%s for %v or longer", within, a.MinDuration)
}
