package live

import "time"

// Stable returns the throughput of the main phase so far, for autoterm, and whether it has settled. It is in bytes if the phase moves
// bytes. Several kinds are added up.
func (l *State) Stable(want Stability) (now Settled, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.newest(true)
	if g == nil {
		return now, false
	}
	now.ByBytes = g.sizes.MaxSize > 0
	end := g.horizon(StableSlices)
	length := (end - g.series.first) / StableSlices
	if length <= 0 {
		return now, false
	}
	bytes, rates := g.newestSlices(end, length)
	if now.ByBytes {
		rates = bytes
	}
	return want.Settle(rates, time.Duration(length), now.ByBytes)
}

// newestSlices returns what a group moved in the StableKept slices before end, newest first.
func (g *group) newestSlices(end, length int64) (bytes, objects []float64) {
	for i := range int64(StableKept) {
		to := end - i*length
		b, o, _ := g.series.between(to-length, to)
		bytes, objects = append(bytes, b), append(objects, o)
	}
	return bytes, objects
}

// MainSlices returns what the main phase moved in the StableKept slices before end, newest first; byBytes reports whether it
// moves bytes at all.
func (l *State) MainSlices(end time.Time, length time.Duration) (bytes, objects []float64, byBytes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.newest(true)
	if g == nil {
		return nil, nil, false
	}
	bytes, objects = g.newestSlices(end.UnixNano(), int64(length))
	return bytes, objects, g.sizes.MaxSize > 0
}

// MainP99 returns the 99th percentile of the latencies of the main phase; ok is false before its first success.
func (l *State) MainP99() (p99 time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.newest(true)
	if g == nil || g.latency == nil {
		return 0, false
	}
	ns, _ := g.latency.Percentile(99)
	return time.Duration(ns), true
}

// horizon returns the time until which everything is known: later, operations of some thread are still in progress or
// on their way to the statistics, and a rate would be too low. Threads that ended nothing for a whole point count as
// finished.
func (g *group) horizon(points int) int64 {
	idle := g.series.last - (g.series.last-g.series.first)/int64(points)
	h := g.series.last
	for _, end := range g.lastEnd {
		if end > idle {
			h = min(h, end)
		}
	}
	return h
}
