package hist

import "math"

// Since returns the values that a growing histogram took in between two copies of it, in at most a precision; nil if there are none. Count,
// mean and deviation are exact; the least and the greatest value are the bounds of their buckets.
func Since(before, now *Histogram, p Precision) *Histogram {
	if now.Count() <= before.Count() {
		return nil
	}
	if before == nil {
		before = New(now.counts.kept)
	}
	d := New(min(p, now.counts.kept))
	d.sum, d.sq, d.clamped = now.sum-before.sum, max(0, now.sq-before.sq), now.clamped-before.clamped
	d.min, d.max = math.MaxInt64, math.MinInt64
	for i, buckets := range now.counts.octaves {
		octave := now.counts.first + i
		for bucket := range buckets {
			n := now.counts.count(octave, bucket) - before.counts.known(octave, bucket)
			if n <= 0 {
				continue
			}
			v := now.counts.value(octave, bucket)
			d.counts.add(v, n)
			d.min, d.max = min(d.min, v), v+now.counts.width(v)-1
		}
	}
	d.min, d.max = max(d.min, now.min), min(d.max, now.max)
	return d
}
