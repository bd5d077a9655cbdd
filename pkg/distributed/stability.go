package distributed

import (
	"fmt"
	"maps"
	"math"
	"time"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// pointSum is the points of all clients for a second of the phase, added up as they come: with many clients there is no
// time to look at all of them each time that one has told of its own.
type pointSum struct {
	bytes, objects [stableLast]float64
	byBytes        bool
	told           map[*member]bool
	settled        int // so many of the first clients have told, or were not waited for when it was looked
}

// maxAhead is how many seconds one client may be ahead of another with its points.
const maxAhead = 120

// addPoints takes in the points of a client. A second that it reports twice counts once.
func (l *merged) addPoints(m *member, p *points) error {
	if len(p.Bytes) != stableLast || len(p.Objects) != stableLast {
		return &violation{"its points are not as many as they should be"}
	}
	if l.points == nil || p.Second <= l.checked || p.Second > l.checked+maxAhead {
		return nil
	}
	s := l.points[p.Second]
	if s == nil {
		s = &pointSum{told: make(map[*member]bool)}
		l.points[p.Second] = s
	}
	if s.told[m] {
		return nil
	}
	s.told[m] = true
	s.byBytes = s.byBytes || p.ByBytes
	for i := range stableLast {
		s.bytes[i] += p.Bytes[i]
		s.objects[i] += p.Objects[i]
	}
	return nil
}

// lookForStability ends the phase when the throughput of all clients together is stable, as far as the seconds of these
// points say; c.mu is held.
func (c *coordinator) lookForStability(news []points) {
	a := c.plan.Phases[min(c.phase, len(c.plan.Phases)-1)].Autoterm
	if a == nil || !c.begun || c.stopping || c.settled > c.phase {
		return
	}
	for i := range news {
		k := news[i].Second
		all := c.live.points[k]
		if all == nil || !c.allTold(all) {
			continue
		}
		c.live.checked = max(c.live.checked, k)
		maps.DeleteFunc(c.live.points, func(second int, _ *pointSum) bool { return second <= c.live.checked })
		if rate, byBytes, ok := all.stable(k, a); ok {
			c.notice("%s", stableNotice(a, rate, byBytes))
			c.settle()
			return
		}
	}
}

// allTold reports whether all clients have told of a second that can. In all it looks once at each client: one that came
// back after it was not waited for is not waited for again.
func (c *coordinator) allTold(s *pointSum) bool {
	for ; s.settled < len(c.members); s.settled++ {
		m := c.members[s.settled]
		if !s.told[m] && m.connected && m.report == nil {
			return false
		}
	}
	return true
}

// stable applies the rule of aggregate.Live.Stable.
func (s *pointSum) stable(second int, a *bench.Autoterm) (rate float64, byBytes, ok bool) {
	sums := &s.objects
	if s.byBytes {
		sums = &s.bytes
	}
	length := time.Duration(second) * time.Second / stablePoints
	rate = sums[0] / length.Seconds()
	ok = rate > 0 && length*stableLast >= a.MinDuration
	for i := 1; i < stableLast && ok; i++ {
		ok = math.Abs(sums[i]/length.Seconds()-rate) <= a.Percent/100*rate
	}
	return rate, s.byBytes, ok
}

func stableNotice(a *bench.Autoterm, rate float64, bytes bool) string {
	speed := fmt.Sprintf("%.2f obj/s", rate)
	if bytes {
		speed = units.Throughput(rate)
	}
	return fmt.Sprintf("Throughput %s of all clients is stable: within %g%% for %v or longer. Ending the benchmark.", speed, a.Percent, a.MinDuration)
}
