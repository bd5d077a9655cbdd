package compare

import (
	"math"
	"time"

	"warp/pkg/aggregate"
)

// Segments of a short run. With segments of a second, a run of 11 s has ten values, too few to find a change of 10% even where they are
// independent. So two single runs are tested by segments of FineSegment too, as far as neighbours among them are not too correlated.
const (
	FineSegment  = 250 * time.Millisecond
	fewSegments  = 40          // a run with fewer is short
	usualSegment = time.Second // of short runs, unless they were aggregated with another length
)

// Short reports whether any kind of operations in a run has so few segments that a comparison needs the run in segments of FineSegment, see
// Options.
func Short(s *aggregate.Snapshot) bool {
	if s.Segment != usualSegment {
		return false
	}
	for _, g := range s.Groups {
		if n := len(g.Segments); n >= minSegments && n < fewSegments {
			return true
		}
	}
	return false
}

// maxCorrelation is the largest autocorrelation, its error included (see persistence), of segments that a run is tested by. Intervals
// were calibrated up to 0.6; beyond, the few effective values of a run do not show how far it strays.
const maxCorrelation = 0.7

// fewValues is the number of segments below which their autocorrelation alone proves nothing: its error is above 0.25.
const fewValues = 16

// scale is a kind of operations in segments of one length.
type scale struct {
	run
	times map[source]map[string]spread // of latency and first byte, by metric, if segments have them
}

// single is one kind of operation in the only run of a side, with the variation of its segments. It is known in segments of several
// lengths, each twice the one before.
type single struct {
	run
	scales []*scale // so far
	fine   bool     // the first one is of shorter segments than the run was aggregated with, the second of those
}

// newSingle returns a run; fine is the same in shorter segments, nil if there is none.
func newSingle(r run, fine *aggregate.Group, length time.Duration) *single {
	s := &single{run: r, scales: []*scale{{run: r}}}
	if fine != nil && len(fine.Segments) > len(r.Segments) {
		s.scales, s.fine = []*scale{{run: run{fine, length}}, s.scales[0]}, true
	}
	return s
}

// known reports whether the segments hold what the metric is computed from.
func (s *single) known(m Metric) bool {
	if m.source != latency && m.source != firstByte {
		return true
	}
	_, ok := s.scales[0].timesOf(m.source)
	return ok
}

// spread returns the spread of a metric by the shortest segments that are not too correlated; if there are none, by the longest
// length with enough segments. The spread of a single segment follows only from segments of its own length.
//
// Fine segments count only without any sign of slow variation, since they are many, and so promise more than they hold. What
// they say of it counts for longer segments too: from one to the next, a segment twice as long keeps the square of an autocorrelation.
func (s *single) spread(m Metric) (sp spread, ok bool) {
	if m.source == oneSegment {
		sp, ok = rateSpread(m, s.Group, s.segment)
		if s.fine && sp.segments < fewValues {
			sp.correlation = 0
		}
		return sp, ok
	}
	carried, evident := 0.0, true
	for i := 0; ; i++ {
		if i == len(s.scales) {
			s.scales = append(s.scales, s.scales[i-1].doubled())
		}
		if len(s.scales[i].Segments) < minSegments {
			return sp, ok
		}
		if sp, ok = s.scales[i].spread(m); !ok {
			return sp, ok
		}
		if i == 0 && s.fine {
			if sp.independent && sp.correlation <= maxCorrelation {
				return sp, true
			}
			evident = sp.slow > 0
			carried = math.Pow(sp.slow, float64(s.segment/s.scales[0].segment))
			continue
		}
		if !evident && sp.segments < fewValues {
			sp.correlation = 0 // so few tell nothing, and the fine ones found nothing
		}
		if sp.correlation = max(sp.correlation, carried); sp.correlation <= maxCorrelation {
			return sp, true
		}
		carried = max(carried*carried, sp.slow*sp.slow)
	}
}

// slow reports whether a metric with this spread cannot be tested, because its segments are too correlated, or the segments of the
// throughput are, which varies slowly by more than half the spread. Throughput shows slow variation best: a percentile of the few
// requests of a segment may hide it.
func (s *single) slow(m Metric, sp spread) bool {
	if sp.correlation > maxCorrelation {
		return true
	}
	if m.source == average {
		return false
	}
	level, ok := s.spread(Metric{Unit: ObjectsPerSec, source: average, part: mean})
	return ok && level.correlation > maxCorrelation && level.varies > sp.relative/2
}

// spread returns the spread of a metric that is not of one segment.
func (s *scale) spread(m Metric) (spread, bool) {
	if m.source == average {
		return rateSpread(m, s.Group, s.segment)
	}
	list, _ := s.timesOf(m.source)
	sp, ok := list[m.Name]
	return sp, ok
}

// timesOf returns the spreads of latency or time to first byte; ok is false if segments have none.
func (s *scale) timesOf(src source) (list map[string]spread, ok bool) {
	if list, ok = s.times[src]; ok {
		return list, true
	}
	l := timesOf(s.Group, src)
	if l == nil {
		return nil, false
	}
	if s.times == nil {
		s.times = make(map[source]map[string]spread)
	}
	s.times[src] = l.spreads(src)
	return s.times[src], true
}

// doubled returns the operations in segments twice as long; one that is left over at the end is dropped.
func (s *scale) doubled() *scale {
	g := *s.Group
	g.Segments = make([]aggregate.Segment, len(s.Segments)/2)
	for i := range g.Segments {
		g.Segments[i].Merge(&s.Segments[2*i])
		g.Segments[i].Merge(&s.Segments[2*i+1])
	}
	return &scale{run: run{&g, 2 * s.segment}}
}
