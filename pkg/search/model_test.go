package search

import (
	"math"
	"math/rand/v2"
	"time"
)

// server is a model of a store on a virtual clock: c servers with exponential service times and one queue, with Poisson arrivals in an
// open loop. Its speed varies by trial, by second and over time.
type server struct {
	servers    int
	service    float64 // average, in seconds
	byTrial    float64 // standard deviation of the speed, relative
	bySecond   float64
	queue      int                       // requests that wait or are served at most; more are refused at once; 0: no limit
	speed      func(now float64) float64 // nil: always 1
	breaks     float64                   // seconds of wait after which the server is slow for good; 0: it recovers
	broken     bool
	client     float64                  // operations per second that the client can send; 0: no limit
	base       float64                  // seconds added to each response
	draw       func(*rand.Rand) float64 // service time of a request relative to the average; nil: exponential
	slow       float64                  // share of requests that take slowBy seconds longer, at any load
	slowBy     float64
	rng        *rand.Rand
	now        float64
	trialSpeed float64
	second     float64 // whose speed is known
	ofSecond   float64
	free       []float64 // when each server is free
	responses  float64   // sum of the counted ones, in seconds
	finished   []float64 // with a queue limit: when those in the system leave, unordered
}

// refusal is how long it takes to refuse a request, in seconds.
const refusal = 0.001

func (s server) seeded(seed uint64) *server {
	s.rng = rand.New(rand.NewPCG(seed, 0x6d6f64656c))
	s.free = make([]float64, s.servers)
	return &s
}

// speedAt returns the speed at a time; times never go back by more than the second.
func (s *server) speedAt(at float64) float64 {
	if sec := math.Floor(at); sec > s.second || s.ofSecond == 0 {
		s.second, s.ofSecond = sec, max(0.05, 1+s.bySecond*s.rng.NormFloat64())
	}
	v := s.trialSpeed * s.ofSecond
	if s.speed != nil {
		v *= s.speed(at)
	}
	if s.broken {
		v *= 0.5
	}
	return v
}

// serve returns when a request sent at a time is finished.
func (s *server) serve(at float64) (end float64, ok bool) {
	if s.queue > 0 {
		n := 0
		for _, f := range s.finished {
			if f > at {
				s.finished[n] = f
				n++
			}
		}
		s.finished = s.finished[:n]
		if n >= s.queue {
			return at + refusal, false
		}
	}
	i := 0
	for k, f := range s.free {
		if f < s.free[i] {
			i = k
		}
	}
	start := max(at, s.free[i])
	if s.breaks > 0 && start-at > s.breaks {
		s.broken = true
	}
	drawn := 0.0
	if s.draw != nil {
		drawn = s.draw(s.rng)
	} else {
		drawn = s.rng.ExpFloat64()
	}
	end = start + s.service*drawn/s.speedAt(start)
	s.free[i] = end
	if s.queue > 0 {
		s.finished = append(s.finished, end)
	}
	if s.slow > 0 && s.rng.Float64() < s.slow {
		return end + s.base + s.slowBy, true
	}
	return end + s.base, true
}

// lognormal draws service times with a standard deviation of their logarithm; their average is 1.
func lognormal(sigma float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return math.Exp(sigma*rng.NormFloat64() - sigma*sigma/2) }
}

// constant is service times that are all the same.
func constant(*rand.Rand) float64 { return 1 }

// slowPeriods is half the speed in the first seconds of each period.
func slowPeriods(length, every float64) func(float64) float64 {
	return func(now float64) float64 {
		if math.Mod(now, every) >= every-length {
			return 0.5
		}
		return 1
	}
}

// perform performs a trial.
func (s *server) perform(c *Config, t Trial) Observation {
	s.now += t.Drain.Seconds()
	if last := max64(s.free); t.Drain > 0 && last > s.now {
		s.now = last + t.Drain.Seconds()
	}
	s.trialSpeed = max(0.05, 1+s.byTrial*s.rng.NormFloat64())
	s.ofSecond = 0
	o := Observation{Trial: t, Counts: make([][]Count, len(c.Objectives))}
	for i := range o.Counts {
		o.Counts[i] = make([]Count, t.Blocks)
	}
	begin := s.now
	from := begin + t.Settle.Seconds()
	to := from + t.Duration.Seconds()
	if t.Rate > 0 {
		s.open(c, &o, begin, from, to)
	} else {
		s.closed(c, &o, begin, from, to)
	}
	o.Spent = t.Drain + time.Duration((s.now-begin)*float64(time.Second))
	return o
}

// count counts an operation that was due at a time.
func (s *server) count(c *Config, o *Observation, due, from, to, response float64, ok bool) {
	if due < from || due >= to {
		return
	}
	block := min(int((due-from)/(to-from)*float64(o.Blocks)), o.Blocks-1)
	if ok {
		o.Achieved += 1 / (to - from)
	}
	s.responses += response
	d := time.Duration(response * float64(time.Second))
	for i, obj := range c.Objectives {
		n := Count{Operations: 1}
		if obj.Bad(!ok, d, d) {
			n.Bad = 1
		}
		o.Counts[i][block].add(n)
	}
}

func (s *server) open(c *Config, o *Observation, begin, from, to float64) {
	o.ClientLimited = s.client > 0 && o.Rate > 0.85*s.client // as by the share of the processor
	due, sent := begin, begin
	for {
		due += s.rng.ExpFloat64() / o.Rate
		if due >= to {
			s.now = to
			return
		}
		sent = max(due, sent)
		end, ok := s.serve(sent)
		if s.client > 0 {
			sent += 1 / s.client
		}
		s.count(c, o, due, from, to, end-due, ok)
		if (end-due)*min(o.Rate, float64(s.servers)/s.service) > o.Backlog {
			o.Aborted, s.now = true, due
			return
		}
	}
}

func (s *server) closed(c *Config, o *Observation, begin, from, to float64) {
	ready := make([]float64, o.Threads) // when each thread sends its next operation
	for i := range ready {
		ready[i] = begin
	}
	sent := begin
	for {
		i := 0
		for k, r := range ready {
			if r < ready[i] {
				i = k
			}
		}
		at := ready[i]
		if at >= to {
			break
		}
		if s.client > 0 {
			sent = max(sent+1/s.client, at)
			at = sent
		}
		end, ok := s.serve(at)
		s.count(c, o, at, from, to, end-at, ok)
		ready[i] = max(end, at+1e-6)
	}
	o.ClientLimited = s.client > 0 && o.Achieved > 0.85*s.client
	s.now = to
}

func max64(list []float64) (m float64) {
	for _, v := range list {
		m = max(m, v)
	}
	return m
}

// run performs a search.
func run(c *Config, s *server) []Observation {
	var done []Observation
	for {
		t, ok := c.Next(done)
		if !ok {
			return done
		}
		done = append(done, s.perform(c, t))
	}
}
