package search

import "time"

// trial returns the trial of a level.
func (s *state) trial(level float64, purpose Purpose) Trial {
	t := Trial{Purpose: purpose, Threads: s.MaxInflight, Settle: s.scaled(settle), Duration: s.length(level), Blocks: blocksOfTrial}
	if purpose == Capacity {
		t.Settle, t.Duration = s.scaled(firstSettle), s.scaled(trialLength)
		return t
	}
	if s.Control == Threads {
		t.Threads = int(level)
	} else {
		t.Rate = level
		t.Backlog = level * max(backlogLength, 2*s.slowest()).Seconds()
	}
	switch {
	case purpose == Bisect, purpose == Refine:
		t.Duration = max(t.Duration, s.scaled(nearLength))
	case purpose == Floor:
		t.Duration = min(t.Duration, s.scaled(maxFloor))
	}
	if level > s.highest && purpose != Floor {
		t.Settle = s.scaled(firstSettle)
	}
	if purpose == Hold || purpose == Confirm {
		t.Duration = max(t.Duration, s.holdLength())
		if purpose == Confirm {
			t.Duration = max(t.Duration, s.scaled(confirmLength))
		}
		t.Blocks = int(t.Duration / s.scaled(time.Second))
	}
	if n := len(s.done); n > 0 && (s.done[n-1].Purpose == Capacity || s.done[n-1].Level() > level) {
		t.Drain = s.scaled(idle)
	}
	return t
}

// length returns the length of a trial of a level: enough operations for the strictest objective, within limits.
func (s *state) length(level float64) time.Duration {
	want := 1000.0
	for _, o := range s.Objectives {
		want = max(want, minimalCount/o.Allowed)
	}
	rate := level
	if s.Control == Threads && s.capacity != nil {
		rate = s.capacity.Achieved * level / float64(s.MaxInflight)
	}
	return min(max(s.scaled(trialLength), time.Duration(want/max(rate, 1e-3)*float64(time.Second)).Round(s.scaled(time.Second))),
		s.scaled(maxTrial))
}
