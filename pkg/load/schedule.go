package load

import (
	"errors"
	"math"
	"sort"
	"time"
)

// Arrivals is how the turns of a schedule are spaced.
type Arrivals string

// Arrivals.
const (
	Even    Arrivals = ""        // evenly
	Poisson Arrivals = "poisson" // at random and independently of each other: exponential gaps
)

// Spacings are the names of all arrivals.
var Spacings = []string{"even", string(Poisson)}

// Schedule returns when the turns of a rate are due, in operations per second of all clients together. The seed decides about
// what is random. A turn is due when the integral of the rate exceeds its number, so that no error accumulates.
func (s Shape) Schedule(arrivals Arrivals, seed uint64) (Schedule, error) {
	if s.IsZero() {
		return nil, errors.New("no rate")
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	var even interface {
		Schedule
		inverse
	}
	if s.burst > 0 {
		even = &bursts{s.burst, s.period}
	} else {
		even = newStages(s)
	}
	switch {
	case arrivals == Even:
		return even, nil
	case arrivals != Poisson:
		return nil, errors.New("unknown arrivals (want poisson)")
	case s.burst > 0:
		return nil, errors.New("bursts have no random arrivals")
	}
	return &random{arrivals: newProcess(seed), of: even}, nil
}

// Delayed returns a schedule that begins after a warm-up at the first rate of the shape.
func (s Shape) Delayed(warmup time.Duration, arrivals Arrivals, seed uint64) (Schedule, error) {
	main, err := s.Schedule(arrivals, seed)
	if err != nil || warmup <= 0 {
		return main, err
	}
	d := &delayed{length: warmup}
	if s.burst > 0 {
		b := &bursts{s.burst, s.period}
		d.warmup, d.main = b, b
		d.turns = uint64((warmup+s.period-1)/s.period) * s.burst
	} else {
		rate := s.stages[0].from
		d.warmup, d.main = newStages(Constant(rate)), newStages(s)
		d.turns = uint64(math.Ceil(rate * warmup.Seconds()))
	}
	if r, ok := main.(*random); ok {
		r.of = d
		return r, nil
	}
	return d, nil
}

// delayed is a schedule after another one.
type delayed struct {
	warmup, main inverse
	turns        uint64 // of the warm-up
	length       time.Duration
}

// Due returns when turn n is due.
func (d *delayed) Due(n uint64) time.Duration { return d.at(float64(n)) }

func (d *delayed) at(x float64) time.Duration {
	if turns := float64(d.turns); x >= turns {
		if due := d.main.at(x - turns); due < Never-d.length {
			return d.length + due
		}
		return Never
	}
	return min(d.warmup.at(x), d.length-1)
}

// inverse is the inverse of the integral of a rate.
type inverse interface {
	// at returns when the integral exceeds x.
	at(x float64) time.Duration
}

// random is a schedule with random gaps.
type random struct {
	arrivals *process
	of       inverse
}

// Due returns when turn n is due.
func (r *random) Due(n uint64) time.Duration { return r.of.at(r.arrivals.at(n)) }

// bursts is a schedule of several turns at a time.
type bursts struct {
	size  uint64
	every time.Duration
}

// Due returns when turn n is due.
func (b *bursts) Due(n uint64) time.Duration {
	if k := n / b.size; k <= uint64(Never/b.every) {
		return time.Duration(k) * b.every
	}
	return Never
}

func (b *bursts) at(x float64) time.Duration { return b.Due(uint64(x)) }

// stages is a schedule of a rate in stages.
type stages struct {
	list   []span
	repeat bool
	count  float64 // of turns in all stages, if they repeat
	length float64 // of all stages, in nanoseconds
}

// span is a stage with what comes before it.
type span struct {
	start    float64 // nanoseconds
	before   float64 // turns due before it
	from, to float64 // turns per second
	length   float64 // nanoseconds; infinite: without end
}

func newStages(s Shape) *stages {
	c := &stages{repeat: s.repeat}
	for _, st := range s.stages {
		length := float64(st.length)
		if st.length == 0 {
			length = math.Inf(1)
		}
		c.list = append(c.list, span{c.length, c.count, st.from, st.to, length})
		c.count += (st.from + st.to) / 2 * length / float64(time.Second) // NaN only at 0 without end, the last one
		c.length += length
	}
	if last := s.stages[len(s.stages)-1]; !s.repeat && last.length > 0 {
		c.list = append(c.list, span{c.length, c.count, last.to, last.to, math.Inf(1)})
	}
	return c
}

// Due returns when turn n is due.
func (c *stages) Due(n uint64) time.Duration { return c.at(float64(n)) }

func (c *stages) at(x float64) time.Duration {
	base := 0.0
	if c.repeat {
		passes := math.Floor(x / c.count)
		x, base = max(0, x-passes*c.count), passes*c.length
	}
	// The last stage that begins at x or before it: stages of rate 0 are passed over.
	i := sort.Search(len(c.list), func(i int) bool { return c.list[i].before > x }) - 1
	if i == len(c.list)-1 && c.repeat && c.list[i].from == 0 && c.list[i].to == 0 {
		base, i, x = base+c.length, c.first(), 0 // by rounding alone
	}
	due := base + c.list[i].start + c.list[i].after(x-c.list[i].before)
	if !(due < math.MaxInt64) {
		return Never
	}
	return time.Duration(due)
}

// first returns the first stage with a turn due.
func (c *stages) first() int {
	return sort.Search(len(c.list), func(i int) bool { return c.list[i].before > 0 }) - 1
}

// after returns how long after the beginning of the stage m turns were due, in nanoseconds.
func (s *span) after(m float64) float64 {
	if s.from == s.to {
		return min(s.length, m*float64(time.Second)/s.from) // infinite or NaN at rate 0
	}
	if m <= 0 {
		return 0
	}
	slope := (s.to - s.from) / (s.length / float64(time.Second))
	root := math.Sqrt(max(0, s.from*s.from+2*slope*m))
	return min(s.length, 2*m*float64(time.Second)/(s.from+root))
}

// Threads returns how many threads a shape has at most, each level rounded to the nearest number.
func (s Shape) Threads() int {
	highest := float64(s.burst)
	for _, st := range s.stages {
		highest = max(highest, st.from, st.to)
	}
	return int(math.Round(min(highest, math.MaxInt32)))
}

// Level returns the level at a time; that of bursts is 0.
func (s Shape) Level(at time.Duration) float64 {
	at = max(0, at)
	if period := s.length(); s.repeat && period > 0 {
		at %= period
	}
	level := 0.0
	for _, st := range s.stages {
		if st.length == 0 {
			return st.to
		}
		if at < st.length {
			return st.from + (st.to-st.from)*float64(at)/float64(st.length)
		}
		level, at = st.to, at-st.length
	}
	return level
}

// timesAbove returns the first time from t on with at least this level, of one stage alone. Both are Never if no such
// time exists.
func (s Shape) timesAbove(level float64, t time.Duration) (from, to time.Duration) {
	base := time.Duration(0)
	if period := s.length(); s.repeat {
		base = t / period * period
	}
	for range 2 { // in a shape that repeats, what is left of this pass and the next one
		start := base
		for i, st := range s.stages {
			end := start + st.length
			if st.length == 0 {
				end = Never
			}
			from, to := st.timesAbove(level, start, end)
			if i == len(s.stages)-1 && !s.repeat && st.to >= level {
				to = Never // the last level stays
			}
			if from < to && to > t {
				return max(from, t), to
			}
			start = end
		}
		if !s.repeat {
			break
		}
		base = start
	}
	return Never, Never
}

// length returns the sum of the lengths of all stages.
func (s Shape) length() (sum time.Duration) {
	for _, st := range s.stages {
		sum += st.length
	}
	return sum
}

// timesAbove returns when the level of a stage from start to end is at least this high; the times are equal if it never is.
func (st stage) timesAbove(level float64, start, end time.Duration) (from, to time.Duration) {
	switch low, high := min(st.from, st.to), max(st.from, st.to); {
	case low >= level:
		return start, end
	case high < level:
		return start, start
	}
	reached := start + time.Duration((level-st.from)/(st.to-st.from)*float64(st.length))
	if st.to > st.from {
		return reached, end
	}
	return start, reached
}
