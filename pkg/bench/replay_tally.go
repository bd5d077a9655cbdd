package bench

import (
	"fmt"
	"sync"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// replayTally is what a replay did, by the kind of operations of the trace, beside what the trace has of the same operations.
type replayTally struct {
	mu      sync.Mutex
	kinds   map[op.Kind]*replayedKind
	putBack int64 // objects, between passes
	lost    int64 // objects that could not be put back
}

// replayedKind is what a replay did of operations of a kind.
type replayedKind struct {
	sent, unsent int64
	late         *hist.Histogram // lateness of those that were late
	service      *hist.Histogram // of those that succeeded
	original     *hist.Histogram // latency in the trace of those that were sent, where it has one and they succeeded
}

// lateLimit is from when on an operation is late; see load.Stats.
const lateLimit = time.Millisecond

// kind returns what was done of a kind; t.mu is held.
func (t *replayTally) kind(kind op.Kind) *replayedKind {
	k := t.kinds[kind]
	if k == nil {
		if t.kinds == nil {
			t.kinds = map[op.Kind]*replayedKind{}
		}
		k = &replayedKind{late: hist.New(hist.Coarse), service: hist.New(hist.Coarse), original: hist.New(hist.Coarse)}
		t.kinds[kind] = k
	}
	return k
}

// add counts an operation that was sent.
func (t *replayTally) add(o *trace.Operation, late, service time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kind(o.Kind)
	k.sent++
	if late > lateLimit {
		k.late.Record(int64(late))
	}
	if err == nil {
		k.service.Record(int64(service))
	}
	if o.Latency != trace.Unknown && o.Status < 400 {
		k.original.Record(int64(o.Latency))
	}
}

// leaveOut counts an operation that was not sent.
func (t *replayTally) leaveOut(o *trace.Operation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kind(o.Kind).unsent++
}

// countPutBack counts an object that was put back, or was to be.
func (t *replayTally) countPutBack(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.putBack++; err != nil {
		t.lost++
	}
}

// Notes compares the replay with the trace, for each kind of operation.
func (r *Replay) Notes() (list []string) {
	for _, k := range r.Summary.Kinds {
		done := r.tally.kinds[k.Kind]
		if done == nil {
			list = append(list, fmt.Sprintf("replay of %s: %d in the trace, none sent", k.Kind, k.Operations))
			continue
		}
		list = append(list, fmt.Sprintf("replay of %s: %d in the trace, %s", k.Kind, k.Operations, done))
	}
	if n := r.Summary.OtherKinds; n > 0 {
		list = append(list, fmt.Sprintf("replay: %s of other kinds in the trace, which are not sent", units.Plural(n, "operation")))
	}
	if n := r.tally.putBack; n > 0 {
		text := fmt.Sprintf("replay: %s that the trace changes after a read put back before the next pass", units.Plural(n, "object"))
		if r.tally.lost > 0 {
			text += fmt.Sprintf("; %d of them could not be", r.tally.lost)
		}
		list = append(list, text)
	}
	return list
}

// String describes what was done.
func (k *replayedKind) String() string {
	text := fmt.Sprintf("%d sent", k.sent)
	if k.unsent > 0 {
		text += fmt.Sprintf(", %d not sent", k.unsent)
	}
	if k.service.Count() > 0 {
		text += "; took " + quantiles(k.service)
		if k.original.Count() > 0 {
			text += fmt.Sprintf(" (in the trace %s)", quantiles(k.original))
		}
	}
	if n := k.late.Count(); n > 0 {
		text += fmt.Sprintf("; %d began late, by %s, at most %s", n, quantiles(k.late), units.Duration(time.Duration(k.late.Max())))
	}
	return text
}

// quantiles describes a distribution of durations.
func quantiles(h *hist.Histogram) string {
	p50, _ := h.Percentile(50)
	p99, _ := h.Percentile(99)
	return fmt.Sprintf("p50 %s, p99 %s", units.Duration(time.Duration(p50)), units.Duration(time.Duration(p99)))
}
