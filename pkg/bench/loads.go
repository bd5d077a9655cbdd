package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/units"
)

// open reports whether the operations of the stream are due at given times.
func (s *Stream) open() bool {
	return s.Rate > 0 || !s.Schedule.IsZero() || s.Portion != nil || s.Timed
}

// Timed is a Workload that says when its turns are due, and how late they may be sent.
type Timed interface {
	Schedule() load.Schedule  // nil: turns of a closed loop, which wait themselves
	SendWithin(time.Duration) // 0: no limit
	Turns() uint64            // how many there are; math.MaxUint64: there is no end
}

// scheduleOf returns when the turns of all clients together are due; nil in a closed loop.
func scheduleOf(s *stream, clients uint64) (load.Schedule, error) {
	shape := s.Schedule
	switch {
	case !s.open():
		return nil, nil
	case s.Timed:
		return s.tasks[0].workload.(Timed).Schedule(), nil
	case shape.IsZero():
		shape = load.Constant(s.Rate * float64(clients))
	}
	return shape.Delayed(s.Warmup, s.Arrivals, generator.Mix(s.seed, dataset.StreamArrivals))
}

// rateFlag returns the flag that sets the rate.
func (s *Stream) rateFlag() string {
	if s.Rate > 0 && s.Portion == nil {
		return "--rps-limit"
	}
	return "--rate"
}

// global reports whether clients send parts of one sequence of requests: the turns of one schedule or a number of turns, on the same objects.
func global(c *Compiled, s *stream) bool {
	return (!s.Schedule.IsZero() || s.limited()) && (c.SharedData || !slices.ContainsFunc(s.tasks, func(t *task) bool { return !t.traits.ReadsOnly() }))
}

// checkLoad returns an error for each part of the load that is invalid or makes no sense.
func (s *Stream) checkLoad() (errs []error) {
	if s.Rate < 0 {
		errs = append(errs, option.Invalid("rps-limit", s.Rate, "0 or more; 0 means no limit"))
	} else if s.Rate > 0 {
		if _, err := load.Rate(s.Rate); err != nil {
			errs = append(errs, option.Wrap("rps-limit", err))
		}
	}
	if !s.Schedule.IsZero() {
		if s.Rate > 0 {
			errs = append(errs, option.Errorf("rate, rps-limit", "one rate is for all clients together, the other for each; leave out one of them"))
		}
		if _, err := s.Schedule.Schedule(load.Even, 0); err != nil {
			errs = append(errs, option.Wrap("rate", err))
		}
	}
	errs = append(errs, s.checkThreads()...)
	switch {
	case s.Arrivals != load.Even && s.Arrivals != load.Poisson:
		errs = append(errs, option.Invalid("arrivals", string(s.Arrivals), "even or poisson"))
	case s.Arrivals != load.Even && !s.open():
		errs = append(errs, option.Errorf("arrivals", "want --rate; threads of a closed loop do not wait for arrivals"))
	case s.Arrivals != load.Even && s.Schedule.Bursts():
		errs = append(errs, option.Errorf("arrivals", "bursts have no random arrivals"))
	}
	if !s.Think.IsZero() && s.open() {
		errs = append(errs, option.Errorf("think", "not with --rate or --rps-limit; operations of an open loop are due at given times"))
	} else if _, err := load.ParseThink(s.Think.String()); err != nil && !s.Think.IsZero() {
		errs = append(errs, option.Wrap("think", err))
	}
	switch {
	case s.Warmup < 0:
		errs = append(errs, option.Invalid("warmup", s.Warmup, "0 or more"))
	case s.Warmup > work.MaxDuration:
		errs = append(errs, option.Invalid("warmup", s.Warmup, "at most ten years"))
	}
	switch {
	case s.MaxLate < 0:
		errs = append(errs, option.Invalid("max-late", s.MaxLate, "0 or more; 0 means no limit"))
	case s.MaxLate > 0 && !s.open():
		errs = append(errs, option.Errorf("max-late", "want --rate; in a closed loop no operation is late"))
	}
	return errs
}

// checkThreads returns an error for each part of the number of threads over time that makes no sense.
func (s *Stream) checkThreads() (errs []error) {
	switch {
	case s.Threads.IsZero():
	case s.open():
		errs = append(errs, option.Errorf("concurrent", "want a number of threads with --rate or --rps-limit, which say how much load there is over time"))
	case s.Threads.Bursts():
		errs = append(errs, option.Errorf("concurrent", "threads do not come in bursts (want stages, as in repeat(20/1s,0/4s))"))
	case s.Threads.Threads() != s.Concurrency:
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, fmt.Sprintf("%d threads, the most of %s", s.Threads.Threads(), s.Threads)))
	}
	return errs
}

// ThreadsAt returns how many threads of a client are at work in a phase so long after its start; 0: their number does not change.
func ThreadsAt(ph *Phase, since time.Duration) (threads int) {
	changes := false
	for _, s := range ph.Streams() {
		if s.Threads.IsZero() {
			threads += s.Concurrency
			continue
		}
		changes, threads = true, threads+int(math.Round(s.Threads.Level(since-s.Warmup)))
	}
	if !changes {
		return 0
	}
	return threads
}

// AllTime returns the streams whose active window is all of their time, because it is not a number of threads, always at work, that makes
// their load: those of open loops, and of threads over time.
func AllTime(p *Plan) (names []string) {
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if s.open() || !s.Threads.IsZero() {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// Pauses returns how long the threads of closed loops pause between turns at most, by stream.
func Pauses(p *Plan) map[string]time.Duration {
	pauses := map[string]time.Duration{}
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if !s.Think.IsZero() {
				pauses[s.Name] = s.Think.Longest()
			}
		}
	}
	return pauses
}

// Order returns the names of the streams that run side by side, by their phases.
func Order(p *Plan) (order aggregate.Order) {
	for i := range p.Phases {
		var names []string
		for _, s := range p.Phases[i].Streams() {
			names = append(names, s.Name)
		}
		if len(names) > 1 {
			order = append(order, names)
		}
	}
	return order
}

// ScheduleStats is how the schedule of a stream was kept (open loop).
type ScheduleStats struct {
	Stream   string        `json:"stream,omitempty"` // name; empty in a plan of one stream
	Duration time.Duration `json:"duration_ns"`
	Planned  time.Duration `json:"planned_ns,omitempty"` // in which the turns were due; less than Duration where a run of so many turns was late
	Due      uint64        `json:"due"`                  // turns, until the end
	Sent     uint64        `json:"sent"`
	Late     uint64        `json:"late"`   // of those sent: more than 1 ms after they were due
	Unsent   uint64        `json:"unsent"` // of those due

	Own       load.Lateness `json:"own_late,omitzero"`    // of those sent: what the client caused; see load.Stats
	Busy      load.Lateness `json:"busy_late,omitzero"`   // of those sent: they waited until a thread was free
	UnsentOwn uint64        `json:"unsent_own,omitempty"` // of those unsent: a thread was free
	Most      int           `json:"most,omitempty"`       // turns under way at a time; of several clients the sum, which they need not have reached together
}

// PlannedRate returns the rate that was due, in turns per second.
func (s *ScheduleStats) PlannedRate() float64 { return perSecond(s.Due, cmp.Or(s.Planned, s.Duration)) }

// AchievedRate returns the rate that was sent, in turns per second.
func (s *ScheduleStats) AchievedRate() float64 { return perSecond(s.Sent, s.Duration) }

func perSecond(n uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// String returns the line about it in a report.
func (s *ScheduleStats) String() string {
	name, late := "Schedule", ""
	if s.Stream != "" {
		name += " of " + s.Stream
	}
	if s.Late > 0 {
		late = fmt.Sprintf("; %d late", s.Late)
	}
	if s.Unsent > 0 {
		late += fmt.Sprintf("; %d unsent (%s)", s.Unsent, units.Percent(int64(s.Unsent), int64(s.Due)))
	}
	if s.Most > 0 {
		late += fmt.Sprintf("; at most %d at a time", s.Most)
	}
	return fmt.Sprintf("%s: %s turns/s planned, %s achieved%s", name, units.PerSecond(s.PlannedRate()), units.PerSecond(s.AchievedRate()), late)
}

// AddSchedules returns the statistics of several clients, or parts of a run, by stream.
func AddSchedules(list, more []ScheduleStats) []ScheduleStats {
	for _, m := range more {
		found := false
		for i := range list {
			if l := &list[i]; l.Stream == m.Stream {
				l.Due, l.Sent, l.Late, l.Unsent = l.Due+m.Due, l.Sent+m.Sent, l.Late+m.Late, l.Unsent+m.Unsent
				l.UnsentOwn, l.Most = l.UnsentOwn+m.UnsentOwn, l.Most+m.Most
				l.Own.Add(m.Own)
				l.Busy.Add(m.Busy)
				l.Duration, l.Planned, found = max(l.Duration, m.Duration), max(l.Planned, m.Planned), true
			}
		}
		if !found && len(list) < MaxPhases {
			list = append(list, m)
		}
	}
	return list
}

// scheduled returns how the schedule of the stream was kept; ok is false in a closed loop.
func (s *streamRun) scheduled() (_ ScheduleStats, ok bool) {
	if s.load.Schedule == nil {
		return ScheduleStats{}, false
	}
	st := &s.stats
	return ScheduleStats{
		Stream:    s.Name,
		Duration:  st.Sending,
		Planned:   st.Planned,
		Due:       st.Done + st.Unsent,
		Sent:      st.Done,
		Late:      st.Late,
		Unsent:    st.Unsent,
		Own:       st.Own,
		Busy:      st.Busy,
		UnsentOwn: st.UnsentOwn,
		Most:      st.Most,
	}, true
}

// backlog returns how many turns are due and not finished.
func (s *streamRun) backlog() float64 {
	if s.load.Schedule == nil {
		return 0
	}
	due := s.load.Share.Of(load.Turns(s.load.Schedule, clock.Now().Sub(s.load.Start)))
	return float64(due) - float64(s.done.Load()+s.warmed.Load())
}

// limits returns an error for each limit that the stream exceeds, whatever its workload.
func (s *Stream) limits() (errs []error) {
	if strings.EqualFold(s.Name, op.PhaseWarmup) {
		errs = append(errs, fmt.Errorf("stream %q: operations before measurement have this name", s.Name))
	}
	switch {
	case s.Concurrency < 1:
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, "at least 1"))
	case s.Concurrency > MaxThreads:
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, fmt.Sprintf("at most %d; more threads need more clients", MaxThreads)))
	}
	switch {
	case s.Duration < 0:
		errs = append(errs, option.Invalid("duration", s.Duration, "0 or more; 0 means no limit"))
	case s.Duration > work.MaxDuration:
		errs = append(errs, option.Invalid("duration", s.Duration, "at most ten years; 0 means no limit"))
	}
	errs = append(errs, s.checkLoad()...)
	if a := s.Autoterm; a != nil && (a.Percent <= 0 || a.MinDuration <= 0) {
		errs = append(errs, option.Errorf("autoterm.pct, autoterm.dur", "want more than 0"))
	} else if a != nil && a.Slope < 0 {
		errs = append(errs, option.Invalid("autoterm.slope", a.Slope, "0 or more; 0 means no limit"))
	}
	return errs
}
