package index

import (
	"time"

	"warp/pkg/trace"
)

// intervals is the maximum number of intervals of a trace.
const intervals = 60

// interval is the number of the interval of the last use of an object, from 1.
type interval int32

// workingSet counts the different objects that are used in each interval.
type workingSet struct {
	length  int64 // of an interval
	objects [intervals + 1]int64
	bytes   [intervals + 1]int64
}

// begin divides a span into intervals.
func (w *workingSet) begin(span int64) { w.length = intervalOf(span) }

// intervalOf returns the length of the intervals of a span: a round number of seconds, or a fraction of a second.
func intervalOf(span int64) int64 {
	least := span/intervals + 1
	for _, round := range []time.Duration{
		time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	} {
		if int64(round) >= least {
			return int64(round)
		}
	}
	const day = int64(24 * time.Hour)
	return (least/day + 1) * day
}

// add counts an object once in each interval.
func (w *workingSet) add(last *interval, at, size int64) {
	i := interval(min(at/w.length, intervals)) + 1
	if *last == i {
		return
	}
	*last = i
	w.objects[i-1]++
	w.bytes[i-1] += size
}

// finish puts the counts into a summary.
func (w *workingSet) finish(s *trace.Summary) {
	s.WorkingSet.Interval = time.Duration(w.length)
	first, last := -1, -1
	for i, n := range w.objects {
		if n > 0 {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	for i := max(0, first); i <= last; i++ {
		s.WorkingSet.Objects = append(s.WorkingSet.Objects, w.objects[i])
		s.WorkingSet.Bytes = append(s.WorkingSet.Bytes, w.bytes[i])
	}
}
