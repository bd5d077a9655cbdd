package replay

import (
	"fmt"
	"sync"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/trace"
	"warp/pkg/units"
)

// tally counts the operations of a replay.
type tally struct {
	mu        sync.Mutex
	kinds     map[op.Kind]*trace.ReplayedKind
	first     time.Time    // when the first operation was due
	last      time.Time    // when the last sent operation ended
	unwritten dataset.Gaps // objects with an unsent last PUT
	restored  int64        // objects, between passes
	lost      int64        // objects that could not be put back
}

// replayOutcome is the result of an operation.
type outcome int

const (
	succeeded outcome = iota
	notFound          // as was expected
	failed
	objectGone // failed with 404, which was not expected
)

// lateLimit is the least lateness that counts; see load.Stats.
const lateLimit = time.Millisecond

// kind returns the counts of a kind; t.mu is held.
func (t *tally) kind(kind op.Kind) *trace.ReplayedKind {
	k := t.kinds[kind]
	if k == nil {
		if t.kinds == nil {
			t.kinds = map[op.Kind]*trace.ReplayedKind{}
		}
		k = trace.NewReplayedKind(kind)
		t.kinds[kind] = k
	}
	return k
}

// add counts a sent operation, with its end and the bytes it moved. An expected 404 counts neither as a failure nor toward latency.
func (t *tally) add(o *trace.Operation, end time.Time, late, service time.Duration, bytes int64, result outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kind(o.Kind)
	k.Sent++
	if due := end.Add(-service - late); t.first.IsZero() || due.Before(t.first) {
		t.first = due
	}
	if end.After(t.last) {
		t.last = end
	}
	if changes(o.Kind) {
		t.unwritten.Set(o.Object, false)
	}
	if late > lateLimit {
		k.Late.Record(int64(late))
	}
	switch result {
	case succeeded:
		k.Bytes += bytes
		k.Service.Record(int64(service))
	case objectGone:
		if k.Failed++; t.unwritten.Has(o.Object) || o.Kind.Copies() && t.unwritten.Has(uint64(o.Source)) {
			k.Unwritten++
		}
	case failed:
		k.Failed++
	}
	switch {
	case o.Status == 404, result == notFound && o.Status == 0:
		return
	case o.Failed():
		k.OldFailed++
		return
	}
	k.OldBytes += o.Moved()
	if o.Latency != trace.Unknown {
		k.Old.Record(int64(o.Latency))
	}
}

// countUnsent counts an unsent operation.
func (t *tally) countUnsent(o *trace.Operation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kind(o.Kind).Unsent++
	if o.Kind.CreatesObject() {
		t.unwritten.Set(o.Object, true)
	}
}

// countRestored counts an object that was put back, or should have been.
func (t *tally) countRestored(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.restored++; err != nil {
		t.lost++
	}
}

// countUnsent counts the due operations that no thread took before the end of the run as unsent.
func (r *Replay) countUnsent(due uint64) {
	taken := int64(0)
	for _, k := range r.tally.kinds {
		taken += k.Sent + k.Unsent
	}
	if taken >= int64(due) {
		return
	}
	passes, rest := due/uint64(r.player.Operations), due%uint64(r.player.Operations)
	of := map[op.Kind]int64{}
	for _, k := range r.Summary.Kinds {
		of[k.Kind] = int64(passes) * k.Operations
	}
	for n := range rest {
		o, err := r.player.Operation(n)
		if err != nil {
			return // the run has ended with it
		}
		of[o.Kind]++
	}
	for kind, n := range of {
		k := r.tally.kind(kind)
		k.Unsent = max(k.Unsent, n-k.Sent)
	}
}

// Replayed returns the counts of each kind of the trace; due is the number of due operations.
func (r *Replay) Replayed(due uint64) trace.Replayed {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	done := trace.Replayed{
		Speed:  float64(r.Speed),
		Span:   r.Summary.Span,
		Took:   r.tally.last.Sub(r.tally.first),
		Closed: r.clients.replayed(r.tally.last),
	}
	if done.Closed != nil {
		due = uint64(r.Summary.Operations)
	}
	r.countUnsent(due)
	for _, k := range r.Summary.Kinds {
		of := r.tally.kind(k.Kind)
		of.Operations = k.Operations
		done.Kinds = append(done.Kinds, *of)
	}
	return done
}

// Notes says what the replay left out and added.
func (r *Replay) Notes() (list []string) {
	if n := r.Summary.OtherKinds; n > 0 {
		list = append(list, fmt.Sprintf("replay: %s of other kinds in the trace, which are not sent", units.Plural(n, "operation")))
	}
	if n := r.uploads.made.Load(); n > 0 {
		const text = "replay: %s of uploads in parts that the trace does not have, but needs, sent unmeasured"
		list = append(list, fmt.Sprintf(text, units.Plural(n, "request")))
	}
	if n := r.listings.restarted.Load(); n > 0 {
		const text = "replay: %s that continue another one began at its first page, since that had not ended, or had no more"
		list = append(list, fmt.Sprintf(text, units.Plural(n, "listing")))
	}
	if n := r.tally.restored; n > 0 {
		text := fmt.Sprintf("replay: %s that the trace changes after a read put back before the next pass", units.Plural(n, "object"))
		if r.tally.lost > 0 {
			text += fmt.Sprintf("; %d of them could not be", r.tally.lost)
		}
		list = append(list, text)
	}
	return list
}

// Warnings says how the load of the replay differs from the trace's.
func (r *Replay) Warnings() []string {
	if text := r.listings.differ(); text != "" {
		return []string{text}
	}
	return nil
}
