package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"warp/internal/option"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench/dataset"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/units"
)

// maxPasses is more than any run makes.
const maxPasses = 1e9

// limited reports whether the stream ends after a number of turns.
func (s *Stream) limited() bool { return s.Ops > 0 || s.Passes > 0 }

// checkUntil returns an error for each invalid limit.
func (s *Stream) checkUntil() (errs []error) {
	if s.Bytes < 0 {
		errs = append(errs, option.Invalid("bytes", s.Bytes, "0 or more; 0 means no limit"))
	}
	if !(s.Passes >= 0 && s.Passes <= maxPasses) { // also rejects NaN
		errs = append(errs, option.Invalid("passes", s.Passes, "0 to 1e9; 0 means no limit"))
	}
	return errs
}

// goesThrough reports whether turns of a task go through its data set: objects do not join it meanwhile, and others delete none.
func goesThrough(c *Compiled, t *task) bool {
	if t.traits.Takes == 0 {
		return !c.changesIn(t.of.phase, t.set)
	}
	return !slices.ContainsFunc(c.phaseStreams(t.of.phase), func(s *stream) bool { return s.addsTo(t.set) || s != t.of && s.changes(t.set) })
}

// checkUntil returns an error for each limit that is invalid, or never reached.
func (s *stream) checkUntil(c *Compiled) []error {
	errs := s.Stream.checkUntil()
	if len(s.tasks) == 0 {
		return errs // what they are is wrong
	}
	if s.Passes > 0 && (len(s.weights) > 1 || s.tasks[0].traits.Pass == nil) {
		errs = append(errs, option.Errorf("passes", "%s does not go through a data set; use --ops", title(s.Stream)))
	}
	if s.Passes > 0 && s.tasks[0].set.inventory && !goesThrough(c, s.tasks[0]) {
		errs = append(errs, option.Errorf("passes", "streams change the data set of %s, so there is no pass through it; use --ops", title(s.Stream)))
	}
	moves := func(t *task) bool { return slices.ContainsFunc(t.traits.Kinds, op.Kind.MovesBytes) }
	if s.Bytes > 0 && !slices.ContainsFunc(s.tasks, moves) {
		errs = append(errs, option.Errorf("bytes", "%s transfers no contents of objects; use --ops", title(s.Stream)))
	}
	return errs
}

// Operations returns the number of operations of the phase that its plan states; 0: no limit.
func (ph *Phase) Operations() (n uint64) {
	for _, s := range ph.Streams() {
		if s.Ops == 0 {
			return 0
		}
		n += s.Ops
	}
	return n
}

// Measured returns the duration of the phase after its warm-up; 0: no limit.
func (ph *Phase) Measured() time.Duration {
	measured := *ph
	if ph.Measures() {
		measured.Steps = nil
	}
	return max(0, measured.Length()-ph.LongestWarmup())
}

// LongestWarmup returns the duration of the longest warm-up.
func (ph *Phase) LongestWarmup() (d time.Duration) {
	for _, s := range ph.Streams() {
		d = max(d, s.Warmup)
	}
	return d
}

// until is when a stream of a client ends, beside its duration.
type until struct {
	turns  uint64 // 0: no limit
	bytes  int64  // 0: no limit
	noPart bool   // there are more clients than turns or bytes, and nothing is left for this one
}

// until returns when the part of a client ends. Clients that do not send parts of one sequence of requests have passes of their own.
func (s *stream) until(set *dataset.DataSet, share load.Share, one bool) until {
	turns := uint64(math.MaxUint64)
	if s.Ops > 0 {
		turns = share.Of(s.Ops)
	}
	if s.Passes > 0 {
		all := math.Ceil(s.Passes * float64(turnsOfPass(s.tasks[0], set)))
		if all >= math.MaxInt64 {
			all = math.MaxInt64
		}
		if n := uint64(all); one {
			turns = min(turns, share.Of(n))
		} else {
			turns = min(turns, n)
		}
	}
	u := until{bytes: int64(share.Of(uint64(s.Bytes))), noPart: turns == 0}
	if turns < math.MaxUint64 {
		u.turns = turns
	}
	u.noPart = u.noPart || s.Bytes > 0 && u.bytes == 0
	return u
}

// turnsOfPass returns the number of turns of a task in which each object of the data set is used once.
func turnsOfPass(t *task, set *dataset.DataSet) uint64 {
	if n := t.traits.Takes; n > 0 && set.Changes() {
		return (set.Accessible() + n - 1) / n
	}
	return t.traits.Pass(set)
}

// Autoterm ends a phase when its throughput is stable; see live.State.Stable.
type Autoterm live.Stability

// Notice returns the message that a throughput is stable; of names its client, and may be empty.
func (a *Autoterm) Notice(of string, now *live.Settled) string {
	throughput := fmt.Sprintf("%.2f obj/s", now.Rate)
	if now.ByBytes {
		throughput = units.Throughput(now.Rate)
	}
	return fmt.Sprintf("Throughput %s%s is stable: %s. Ending the benchmark.", throughput, of, a.Limits())
}

// Note returns what the report says about a throughput that was stable: how it drifted when the phase ended.
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
