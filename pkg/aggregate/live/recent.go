package live

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/op"
)

// Recent is the current state of a phase, for a progress line.
type Recent struct {
	Phase string
	Start time.Time // first start of an operation
	Total Figures
	Kinds []Figures // in order of first appearance
}

// Shares returns the client's own part of the latencies of the last seconds, of the kinds that had enough operations.
func (r *Recent) Shares() (list []observe.Share) {
	for i := range r.Kinds {
		k := &r.Kinds[i]
		if s := k.Share; s.Percentile > 0 && !k.Kind.IsComposite() {
			if k.Phase != r.Phase {
				s.Of = k.Phase + " " + s.Of
			}
			list = append(list, s)
		}
	}
	return list
}

// Figures are of one kind, or of all. Rates count operations that ended within the last second. Percentiles cover
// the last three seconds, 0 if nothing ended in them.
type Figures struct {
	Phase         string
	Kind          op.Kind
	Ops           int64 // since the phase began, failed ones too
	Errors        int64 // since the phase began
	Resent        int64 // since the phase began; as in Group
	BytesPerSec   float64
	ObjectsPerSec float64
	OpsPerSec     float64
	P50, P99      time.Duration
	Share         observe.Share // the client's own part of the latencies of the last three seconds; zero: too few operations
}

// Time spans of Recent.
const (
	tick          = 100 * time.Millisecond // resolution of rates
	rateTicks     = 10
	keptTicks     = 3 * rateTicks // operations arrive late, and not in order
	latencySpan   = time.Second   // resolution of percentiles
	latencySpans  = 3
	keptLatencies = latencySpans + 1
)

// recent holds the last few seconds of a group.
type recent struct {
	ticks     [keptTicks]recentTick
	latencies [keptLatencies]recentLatency
}

type recentTick struct {
	number         int64 // Unix time in ticks; a slot is reused after keptTicks
	ops            int64
	bytes, objects int64
}

type recentLatency struct {
	number int64 // Unix time in latencySpans
	values *hist.Histogram
	own    aggregate.OwnPart
}

// add counts a successful operation.
func (c *recent) add(r *decode.Record) {
	n := r.End / int64(tick)
	t := &c.ticks[n%keptTicks]
	if n > t.number {
		*t = recentTick{number: n}
	}
	if n == t.number {
		t.ops++
		t.bytes += r.Bytes
		t.objects += int64(r.Objects)
	}
	n = r.End / int64(latencySpan)
	l := &c.latencies[n%keptLatencies]
	if n > l.number {
		l.number = n
		if l.values == nil {
			l.values = hist.New(hist.Coarse)
		} else {
			l.values.Reset()
			l.own.Reset()
		}
	}
	if n == l.number {
		l.values.Record(r.Latency)
		l.own.Record(r)
	}
}

// figures looks back from now; operations began at start. Only whole ticks count for rates.
func (c *recent) figures(f *Figures, start, now int64) {
	n := now / int64(tick)
	span := min(rateTicks, n-start/int64(tick))
	if span > 0 {
		var sum recentTick
		for i := range c.ticks {
			if t := &c.ticks[i]; t.number >= n-span && t.number < n {
				sum.ops += t.ops
				sum.bytes += t.bytes
				sum.objects += t.objects
			}
		}
		s := (time.Duration(span) * tick).Seconds()
		f.BytesPerSec, f.ObjectsPerSec, f.OpsPerSec = float64(sum.bytes)/s, float64(sum.objects)/s, float64(sum.ops)/s
	}
	n = now / int64(latencySpan)
	all, own := hist.New(hist.Coarse), aggregate.OwnPart{}
	for i := range c.latencies {
		if l := &c.latencies[i]; l.values != nil && l.number > n-latencySpans && l.number <= n {
			all.Merge(l.values)
			own.Merge(&l.own)
		}
	}
	p50, _ := all.Percentile(50)
	p99, _ := all.Percentile(99)
	f.P50, f.P99 = time.Duration(p50), time.Duration(p99)
	f.Share, _ = aggregate.ShareOf(string(f.Kind), all, &own)
}
