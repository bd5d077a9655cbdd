package aggregate

import (
	"math"
	"time"
)

// Stable tells whether the throughput of the run has settled, for ending it early. The main phase so far is cut into
// points of equal length. It is stable if the last of them span at least minDur and all lie within pct percent of the
// newest, so that a lasting drift never is. The rate is that of the newest point: in bytes per second if the phase moves
// bytes, else in objects per second. Several kinds at once are taken together. The manual's values are 25 points, of
// which the last 7, within 7.5 percent over 15 s.
func (l *Live) Stable(points, last int, minDur time.Duration, pct float64) (ok bool, rate float64, byBytes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.newest(true)
	if g == nil || points < 1 || last < 1 || last > points {
		return false, 0, false
	}
	byBytes = g.about.MaxSize > 0
	end := g.horizon(points)
	length := (end - g.series.first) / int64(points)
	if length <= 0 {
		return false, 0, byBytes
	}
	at := func(i int) float64 { // i points before the newest
		to := end - int64(i)*length
		bytes, objects := g.series.between(to-length, to)
		if byBytes {
			objects = bytes
		}
		return objects / time.Duration(length).Seconds()
	}
	rate = at(0)
	ok = rate > 0 && time.Duration(length)*time.Duration(last) >= minDur
	for i := 1; i < last && ok; i++ {
		ok = math.Abs(at(i)-rate) <= pct/100*rate
	}
	return ok, rate, byBytes
}

// horizon is the time until which everything is known: later, operations of some thread are still under way or on their
// way to the statistics, and a rate would come out too low. Threads that ended nothing for a whole point are taken as
// finished.
func (g *liveGroup) horizon(points int) int64 {
	idle := g.series.last - (g.series.last-g.series.first)/int64(points)
	h := g.series.last
	for _, end := range g.lastEnd {
		if end > idle {
			h = min(h, end)
		}
	}
	return h
}
