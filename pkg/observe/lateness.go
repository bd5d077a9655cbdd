package observe

import (
	"math"
	"runtime/metrics"
	"slices"
)

// Lateness is how long runnable goroutines waited until one of the process's threads ran them: a response that has
// arrived, or an operation that is due, is noticed that much later. The runtime samples one of every eight times that
// a goroutine waits or is preempted.
//
// A timer that fires a hundred times a second was tried instead. It costs 0.7% of a CPU in an idle process, and on a
// virtual machine it reports milliseconds of delay of the machine, not the process. These figures cost nothing and stay
// at microseconds in an idle process. They do not cover threads that wait for a CPU; CPUWait does.
type Lateness struct {
	Events int64 `json:"events"`
	// LateEvents is the number of events that waited longer than 1 ms.
	LateEvents int64 `json:"late_events"`
	// P50Millis, P99Millis and MaxMillis are upper bounds, at most a quarter too high. P99Millis is 0 where fewer than
	// ten events lie beyond it.
	P50Millis float64 `json:"p50_ms"`
	P99Millis float64 `json:"p99_ms,omitempty"`
	MaxMillis float64 `json:"max_ms"`

	bounds  []float64 // of all buckets, in seconds; bucket i is from bounds[i] to bounds[i+1]
	buckets []bucket  // non-empty ones, in order
}

// bucket is one bucket of the runtime's histogram. There are some 160, few of them in use.
type bucket struct {
	index int
	count int64
}

const (
	// lateAfter is how long, in seconds, a goroutine may wait without counting as late.
	lateAfter = 0.001
	// notLate is the longest wait, in milliseconds, that does not count as late: the upper bound of the runtime's bucket
	// that contains lateAfter.
	notLate = 1.048576
	// fewBeyond is how many events must lie beyond a percentile.
	fewBeyond = 10
)

// latencies keeps the runtime's histogram, which counts from the start of the process.
type latencies struct {
	bounds []float64
	before []uint64
}

// since returns what was counted since the previous call, or since the start of the process; nil if nothing was.
func (l *latencies) since(h *metrics.Float64Histogram) *Lateness {
	if !slices.Equal(l.bounds, h.Buckets) { // true once
		l.bounds = slices.Clone(h.Buckets)
		l.before = make([]uint64, len(h.Counts))
	}
	late := &Lateness{bounds: l.bounds}
	for i, n := range h.Counts {
		if more := increase(l.before[i], n); more > 0 {
			late.buckets = append(late.buckets, bucket{i, int64(more)})
		}
	}
	copy(l.before, h.Counts)
	if len(late.buckets) == 0 {
		return nil
	}
	late.buckets = slices.Clip(late.buckets)
	late.derive()
	return late
}

func (l *Lateness) derive() {
	l.Events, l.LateEvents = 0, 0
	for _, b := range l.buckets {
		l.Events += b.count
		if l.bounds[b.index] >= lateAfter {
			l.LateEvents += b.count
		}
	}
	l.P50Millis, l.MaxMillis = 1000*l.quantile(0.5), 1000*l.quantile(1)
	l.P99Millis = 0
	if l.Events-l.rank(0.99) >= fewBeyond {
		l.P99Millis = 1000 * l.quantile(0.99)
	}
}

// add merges the histograms. Without them, as after decoding JSON, only the counts and the maximum can be kept.
func (l *Lateness) add(m *Lateness) {
	if !slices.Equal(l.bounds, m.bounds) || l.bounds == nil {
		l.Events, l.LateEvents = l.Events+m.Events, l.LateEvents+m.LateEvents
		l.P50Millis, l.P99Millis = max(l.P50Millis, m.P50Millis), max(l.P99Millis, m.P99Millis)
		l.MaxMillis = max(l.MaxMillis, m.MaxMillis)
		switch onTime := l.rank(0.99) <= l.Events-l.LateEvents; {
		case onTime: // at most one in a hundred was late, although some second was worse
			l.P99Millis = min(l.P99Millis, notLate)
		case l.P99Millis <= notLate: // those that were late came in seconds with too few events for a percentile
			l.P99Millis = 0
		}
		return
	}
	l.buckets = sumBuckets(l.buckets, m.buckets)
	l.derive()
}

// sumBuckets adds two histograms, both in order.
func sumBuckets(a, b []bucket) []bucket {
	sum := make([]bucket, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].index < b[0].index:
			sum, a = append(sum, a[0]), a[1:]
		case a[0].index > b[0].index:
			sum, b = append(sum, b[0]), b[1:]
		default:
			sum = append(sum, bucket{a[0].index, a[0].count + b[0].count})
			a, b = a[1:], b[1:]
		}
	}
	return slices.Clip(append(append(sum, a...), b...))
}

// rank returns the number, from 1, of the event at quantile q: the nearest rank.
func (l *Lateness) rank(q float64) int64 {
	return max(1, int64(math.Ceil(q*float64(l.Events))))
}

// quantile returns the upper bound, in seconds, of the bucket that holds the event of that rank.
func (l *Lateness) quantile(q float64) float64 {
	left := l.rank(q)
	for _, b := range l.buckets {
		if left -= b.count; left <= 0 {
			if bound := l.bounds[b.index+1]; !math.IsInf(bound, 1) {
				return bound
			}
			return l.bounds[b.index]
		}
	}
	return 0
}
