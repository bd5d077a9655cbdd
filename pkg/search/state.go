package search

import (
	"math"
	"slices"
	"time"
)

// boundary reports whether a load failed by the store's fault.
func (s *state) boundary() bool {
	_, high, limited := s.bounds()
	return high > 0 && !limited
}

// confirmation returns the last confirmation; nil: there was none.
func (s *state) confirmation() *Observation {
	if n := len(s.confirms); n > 0 {
		return s.confirms[n-1]
	}
	return nil
}

// index returns the place of a trial.
func (s *state) index(o *Observation) int {
	for i := range s.done {
		if o == &s.done[i] {
			return i
		}
	}
	return -1
}

// valid returns the trials that say something about the boundary.
func (s *state) valid() (list []*Observation) {
	for _, o := range slices.Concat(s.floor, s.explored, s.holds, s.confirms) {
		if !o.ClientLimited {
			list = append(list, o)
		}
	}
	return list
}

// held returns the trial that held a load; nil if there is none.
func (s *state) held() *Observation {
	if n := len(s.holds); n > 0 && s.meets(s.holds[n-1]) {
		return s.holds[n-1]
	}
	return nil
}

// slowest returns the longest time that an objective allows.
func (s *state) slowest() (d time.Duration) {
	for _, o := range s.Objectives {
		d = max(d, o.Limit)
	}
	return d
}

// limit returns the lowest level at which the client was the bottleneck; infinite: at none.
func (s *state) limit() float64 {
	limit := math.Inf(1)
	for _, o := range s.done {
		if o.ClientLimited && o.Purpose != Capacity {
			limit = min(limit, o.Level())
		}
	}
	return limit
}

// state holds the trials of a search by purpose, and what follows from them.
type state struct {
	*Config
	done     []Observation
	capacity *Observation
	floor    []*Observation
	explored []*Observation // valid and invalid trials that look for the boundary
	holds    []*Observation
	confirms []*Observation
	check    *Observation
	spent    time.Duration
	fits     []*posterior // of objectives, once they were needed
	drift    float64      // change of its logarithm in a second that estimates follow
	motion   motion
	middle   map[*Observation]float64 // of the counted time of each trial, in seconds from the beginning of the search
	highest  float64                  // level of all trials but the closed loop that measures the capacity
}

func (c *Config) state(done []Observation) *state {
	s := &state{Config: c, done: done, middle: map[*Observation]float64{}}
	for i := range done {
		o := &done[i]
		s.spent += o.Spent
		s.middle[o] = (s.spent - min(o.Duration, o.Spent)/2).Seconds()
		switch o.Purpose {
		case Capacity:
			s.capacity = o
			continue
		case Floor:
			s.floor = append(s.floor, o)
		case Hold:
			s.holds = append(s.holds, o)
		case Confirm:
			s.confirms = append(s.confirms, o)
		case Hysteresis:
			s.check = o
		default:
			s.explored = append(s.explored, o)
		}
		s.highest = max(s.highest, o.Level())
	}
	return s
}

// top returns the level of the capacity: operations per second, or threads.
func (s *state) top() float64 {
	if s.Control == Threads {
		return float64(s.MaxInflight)
	}
	return s.capacity.Achieved
}

// level returns the nearest level that can be set, at least the floor.
func (s *state) level(v float64) float64 {
	if s.Control == Threads {
		return min(max(1, math.Floor(v+1e-9)), float64(s.MaxInflight))
	}
	return v
}

func (s *state) floorLevel() float64 { return s.level(floorShare * s.top()) }

// infeasible reports whether the floor fails, or two trials of it did not decide and their share is too high.
func (s *state) infeasible() bool {
	if len(s.floor) == 0 {
		return false
	}
	last := s.floor[len(s.floor)-1]
	switch s.Verdict(last) {
	case Fail, Invalid:
		return true
	case Undecided:
		return len(s.floor) > 1 && !s.meets(last)
	}
	return false
}

// bounds returns the highest level that passed below all that did not, and the lowest that failed or was invalid; 0: none. limited is
// whether only the client keeps the search from higher loads: no valid trial missed an objective.
func (s *state) bounds() (low, high float64, limited bool) {
	for _, o := range s.explored {
		if v := s.Verdict(o); (v == Fail || v == Invalid) && (high == 0 || o.Level() < high) {
			high = o.Level()
		}
	}
	limited = high > 0
	for _, o := range s.explored {
		limited = limited && (o.ClientLimited || s.meets(o))
	}
	low = s.floorLevel()
	for _, o := range s.explored {
		if s.Verdict(o) == Pass && o.Level() > low && (high == 0 || o.Level() < high) {
			low = o.Level()
		}
	}
	return low, high, limited
}
