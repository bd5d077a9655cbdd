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

// replayTally is what a replay did, by the kind of operations of the trace.
type replayTally struct {
	mu    sync.Mutex
	kinds map[op.Kind]*replayedKind
}

// replayedKind is what a replay did of operations of a kind.
type replayedKind struct {
	late, service *hist.Histogram
}

// lateLimit is from when on an operation is late; see load.Stats.
const lateLimit = time.Millisecond

// add counts an operation that was sent.
func (t *replayTally) add(kind op.Kind, late, service time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kinds == nil {
		t.kinds = map[op.Kind]*replayedKind{}
	}
	k := t.kinds[kind]
	if k == nil {
		k = &replayedKind{hist.New(hist.Coarse), hist.New(hist.Coarse)}
		t.kinds[kind] = k
	}
	k.late.Record(int64(late))
	if err == nil {
		k.service.Record(int64(service))
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
		text := fmt.Sprintf("replay of %s: %d in the trace, %d sent", k.Kind, k.Operations, done.late.Count())
		if done.service.Count() > 0 {
			p50, p99 := quantile(done.service, 50), quantile(done.service, 99)
			text += fmt.Sprintf("; took p50 %s, p99 %s", units.Duration(p50), units.Duration(p99))
			if k.Latency != (trace.Quantiles{}) {
				text += fmt.Sprintf(" (in the trace %s, %s)", units.Duration(time.Duration(k.Latency.P50)), units.Duration(time.Duration(k.Latency.P99)))
			}
		}
		late := int64(0)
		done.late.Buckets(func(value, count int64) bool {
			if value > int64(lateLimit) {
				late += count
			}
			return true
		})
		if late > 0 {
			text += fmt.Sprintf("; %d began late: lateness p50 %s, p99 %s, at most %s", late, units.Duration(quantile(done.late, 50)), units.Duration(quantile(done.late, 99)), units.Duration(time.Duration(done.late.Max())))
		}
		list = append(list, text)
	}
	if n := r.Summary.OtherKinds; n > 0 {
		list = append(list, fmt.Sprintf("replay: %s of other kinds in the trace, which are not sent", units.Plural(n, "operation")))
	}
	return list
}

func quantile(h *hist.Histogram, p float64) time.Duration {
	v, _ := h.Percentile(p)
	return time.Duration(v)
}
