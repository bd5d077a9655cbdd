package coordinator

import (
	"slices"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/protocol"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// memberFigures are the current figures of a client.
type memberFigures struct {
	lastMessageAt time.Time
	last          protocol.Live
	rates         []live.Figures // between the last two messages, by kind as last.Kinds
	p50, p99      time.Duration  // of the last message
}

// liveGroup is a kind of operation of a stream.
type liveGroup struct {
	stream string
	kind   op.Kind
}

func groupOf(k *protocol.LiveKind) liveGroup { return liveGroup{k.Stream, k.Kind} }

// percentiles returns the median and the 99th percentile of the latencies in a message.
func percentiles(msg *protocol.Live) (p50, p99 time.Duration) {
	var all *hist.Histogram
	for i := range msg.Kinds {
		k := &msg.Kinds[i]
		if k.Kind.IsComposite() || k.Latency == nil {
			continue
		}
		if all == nil {
			all = hist.New(hist.Live)
		}
		all.Merge(k.Latency)
	}
	return percentile(all, 50), percentile(all, 99)
}

// percentile is 0 without samples.
func percentile(h *hist.Histogram, p float64) time.Duration {
	v, _ := h.Percentile(p)
	return time.Duration(v)
}

// update records a message.
func (f *memberFigures) update(msg *protocol.Live, now time.Time) {
	f.rates = rates(&f.last, msg)
	f.lastMessageAt, f.last = now, *msg
}

// rates is the throughput of a client between two messages, as after.Kinds.
func rates(before, after *protocol.Live) []live.Figures {
	list := make([]live.Figures, len(after.Kinds))
	seconds := time.Duration(after.At - before.At).Seconds()
	if seconds <= 0 {
		return list
	}
	for i := range after.Kinds {
		k, was := &after.Kinds[i], protocol.LiveKind{}
		if j := slices.IndexFunc(before.Kinds, func(b protocol.LiveKind) bool { return groupOf(&b) == groupOf(k) }); j >= 0 {
			was = before.Kinds[j]
		}
		list[i] = live.Figures{
			OpsPerSec:     float64(k.Ops-was.Ops-(k.Errors-was.Errors)) / seconds,
			BytesPerSec:   float64(k.Bytes-was.Bytes) / seconds,
			ObjectsPerSec: float64(k.Objects-was.Objects) / seconds,
		}
	}
	return list
}

// addTo adds the figures in these streams to sums, and the rates if they are fresh. It reports whether there are any.
func (f *memberFigures) addTo(sums map[liveGroup]live.Figures, streams []string, fresh bool) (found bool) {
	for i := range f.last.Kinds {
		k := &f.last.Kinds[i]
		if !slices.Contains(streams, k.Stream) {
			continue
		}
		found = true
		sum := sums[groupOf(k)]
		sum.Add(live.Figures{Ops: k.Ops, Errors: k.Errors, Resent: k.Resent})
		if fresh {
			sum.Add(f.rates[i])
		}
		sums[groupOf(k)] = sum
	}
	return found
}
