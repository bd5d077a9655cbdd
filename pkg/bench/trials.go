package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/search"
	"warp/pkg/units"
)

// Search has a phase look for the highest load that meets objectives: its stream is measured in trials, each at a load of its own.
type Search struct {
	search.Config
	Arrivals load.Arrivals        `json:"arrivals,omitempty"`
	Done     []search.Observation `json:"done,omitempty"` // trials of an earlier run that the search goes on from
}

// TrialObserver is an Observer that is notified of the trials of a search.
type TrialObserver interface {
	// Trial is called when a trial has ended; number counts from 1.
	Trial(number int, o *search.Observation, v search.Verdict)
}

// Gatherer is a Group whose clients can exchange what each has.
type Gatherer interface {
	// Gather returns what all clients have under a key, in the order of their shares.
	Gather(ctx context.Context, key string, mine []byte) ([][]byte, error)
}

// checkSearch returns an error for each reason why a phase cannot be a search.
func checkSearch(ph *Phase, i int) (errs []error) {
	if ph.Search == nil {
		return nil
	}
	if len(ph.Beside) > 0 || len(ph.Steps) > 0 {
		return []error{fmt.Errorf("phase %d: a search has one stream, and nothing beside it", i+1)}
	}
	for flag, set := range map[string]bool{
		"duration": ph.Duration > 0, "ops": ph.Ops > 0, "bytes": ph.Bytes > 0, "passes": ph.Passes > 0, "warmup": ph.Warmup > 0, "autoterm": ph.Autoterm != nil,
		"rate": ph.open(), "max-late": ph.MaxLate > 0, "think": !ph.Think.IsZero(), "concurrent": !ph.Threads.IsZero(),
	} {
		if set {
			errs = append(errs, option.Errorf(flag, "not in a search, which decides about load and length of its trials"))
		}
	}
	if a := ph.Search.Arrivals; a != load.Even && a != load.Poisson {
		errs = append(errs, option.Invalid("arrivals", string(a), "even or poisson"))
	}
	config := ph.Search.Config
	config.MaxInflight = ph.Concurrency
	return append(errs, config.Validate(), search.CheckTrials(ph.Search.Done))
}

// trials are those of a search being performed.
type trials struct {
	*Run
	of     *stream
	record search.Record
	turns  uint64 // numbers of turns that earlier trials used
	start  time.Time
}

// performSearch performs the trials of a phase. The first begins at a given time.
func performSearch(ctx context.Context, r *Run, phase int, start time.Time) error {
	if _, ok := r.env.Group.(Gatherer); !ok && r.share.Total > 1 {
		return errors.New("search: not by several clients, which cannot exchange how their trials went")
	}
	ph := &r.plan.Phases[phase]
	s := &trials{Run: r, of: r.plan.phaseStreams(phase)[0], start: start, record: search.Record{Config: ph.Search.Config, Trials: slices.Clone(ph.Search.Done)}}
	if len(r.plan.Phases) > 1 {
		s.record.Stream = ph.Name
	}
	c := &s.record.Config
	c.MaxInflight = ph.Concurrency * int(r.share.Total)
	c.Objectives = objectivesOf(c.Objectives, s.of)
	s.record.Phases = make([]string, len(ph.Search.Done))
	err := s.perform(ctx)
	r.result.Searches = append(r.result.Searches, s.record)
	noteHeld(r, s.of)
	return err
}

// objectivesOf returns objectives with one for each kind of operation in place of those that name none.
func objectivesOf(list []search.Objective, s *stream) (all []search.Objective) {
	var kinds []op.Kind
	for _, t := range s.tasks {
		for _, k := range t.traits.Kinds {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	for _, o := range list {
		if o.Kind != "" || len(kinds) < 2 {
			all = append(all, o)
			continue
		}
		for _, k := range kinds {
			all = append(all, o.Of(string(k)))
		}
	}
	return all
}

// perform performs trials until there are enough, or the run is to end.
func (s *trials) perform(ctx context.Context) error {
	for first := true; ; first = false {
		t, ok := s.record.Config.Next(s.record.Trials)
		if !ok {
			return nil
		}
		var err error
		if !first {
			if !clock.Pause(ctx, t.Drain) {
				s.result.Interrupted = true
				return nil
			}
			if s.start, err = s.env.Group.Barrier(ctx, StageBenchmark, nil); err != nil {
				return err
			}
		}
		o, err := s.trial(ctx, t)
		if err != nil || o == nil {
			return err
		}
		s.record.Trials = append(s.record.Trials, *o)
		s.record.Phases = append(s.record.Phases, s.name())
		if w, ok := s.env.Observer.(TrialObserver); ok {
			w.Trial(len(s.record.Trials), o, s.record.Config.Verdict(o))
		}
	}
}

// name returns the phase in which the operations of the latest trial are recorded.
func (s *trials) name() string {
	return s.nameOf(len(s.record.Trials), s.record.Trials[len(s.record.Trials)-1].Purpose)
}

func (s *trials) nameOf(number int, p search.Purpose) string {
	name := fmt.Sprintf("%02d-%s", number, p)
	if s.record.Stream != "" {
		name = s.record.Stream + "-" + name
	}
	return name
}

// part is what one client has of a trial.
type part struct {
	Counts  [][]search.Count `json:"counts"`
	Good    float64          `json:"good"` // turns per second that succeeded
	Aborted bool             `json:"aborted,omitempty"`
	Limit   string           `json:"limit,omitempty"` // by what the client was the bottleneck
	Spent   time.Duration    `json:"spent_ns"`
	Ended   string           `json:"ended,omitempty"` // why the trial ended before its time, which ends the search
}

// trial performs one trial; nil if it was interrupted, or could not be performed in full.
func (s *trials) trial(ctx context.Context, t search.Trial) (*search.Observation, error) {
	mine, err := s.measure(ctx, &t)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		s.result.Interrupted = true
		return nil, nil
	}
	all := []*part{mine}
	if g, ok := s.env.Group.(Gatherer); ok {
		if all, err = s.gather(ctx, g, mine); err != nil {
			return nil, err
		}
	}
	return s.merged(t, all), nil
}

// gather returns the parts of all clients.
func (s *trials) gather(ctx context.Context, g Gatherer, mine *part) (all []*part, err error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	list, err := g.Gather(ctx, fmt.Sprintf("%s trial %d", s.record.Stream, len(s.record.Trials)+1), text)
	if err != nil {
		return nil, err
	}
	for _, text := range list {
		p := new(part)
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("trial %d of another client: %w", len(s.record.Trials)+1, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// merged returns a trial as all clients together performed it; nil if it ended the search.
func (s *trials) merged(t search.Trial, all []*part) *search.Observation {
	o := &search.Observation{Trial: t, Counts: make([][]search.Count, len(s.record.Config.Objectives))}
	for i := range o.Counts {
		o.Counts[i] = make([]search.Count, t.Blocks)
	}
	for _, p := range all {
		if p.Ended != "" {
			s.warn("the search ended before its time: in trial %d %s", len(s.record.Trials)+1, p.Ended)
			return nil
		}
		for i := range min(len(p.Counts), len(o.Counts)) {
			for k := range min(len(p.Counts[i]), len(o.Counts[i])) {
				o.Counts[i][k].Operations += p.Counts[i][k].Operations
				o.Counts[i][k].Bad += p.Counts[i][k].Bad
			}
		}
		o.Achieved += p.Good
		o.Aborted = o.Aborted || p.Aborted
		if p.Limit != "" {
			o.ClientLimited, o.Limit = true, p.Limit
		}
		o.Spent = max(o.Spent, p.Spent)
	}
	o.Spent += t.Drain
	return o
}

// stream returns the stream of a trial; nil if this client has no part in it.
func (s *trials) stream(t *search.Trial, name string) *stream {
	st := *s.of.Stream
	st.Name, st.Warmup, st.Duration = name, t.Settle, t.Duration
	threads := portion(uint64(t.Threads), s.share)
	if threads == 0 {
		return nil
	}
	st.Concurrency = min(int(threads), s.of.Concurrency)
	if t.Rate > 0 {
		st.Schedule, st.Arrivals = load.Constant(t.Rate), s.plan.Phases[s.of.phase].Search.Arrivals
	}
	c := *s.of
	c.Stream, c.seed = &st, generator.Mix(s.of.seed, 1<<60+uint64(len(s.record.Trials)))
	return &c
}

// measure performs this client's part of a trial.
func (s *trials) measure(ctx context.Context, t *search.Trial) (*part, error) {
	begun := clock.Now()
	if s.start.IsZero() {
		s.start = begun
	}
	from := s.start.Add(t.Settle)
	name := s.nameOf(len(s.record.Trials)+1, t.Purpose)
	c := s.record.Config
	s.counts.begin(name, c.Objectives, from, t)
	st := s.stream(t, name)
	if st == nil {
		return &part{Counts: s.counts.end()}, nil
	}
	abort, release := abortAfter(ctx)
	defer release()
	o, err := loadOf(st, load.Options{Start: s.start, Share: s.share, Grace: grace, Abort: abort})
	if err != nil {
		return nil, err
	}
	sr := s.streamRun(st, o, s.slots)
	sr.global, sr.first = false, s.turns
	ph := &phaseRun{
		Phase: &Phase{Stream: *st.Stream}, index: s.of.phase, env: &s.env, live: s.live, recordingErrs: s.collector.Errs(), streams: []*streamRun{sr},
		title: fmt.Sprintf("%s: trial %d, %s", title(s.of.Stream), len(s.record.Trials)+1, t), backlog: t.Backlog / float64(s.share.Total),
	}
	err = ph.perform(ctx)
	s.collector.Deliver()
	p := &part{Counts: s.counts.end(), Aborted: ph.aborted, Spent: clock.Now().Sub(begun)}
	s.result.Connections.Add(sr.connections())
	s.turns += sr.stats.Done + sr.stats.Warmup + sr.stats.Unsent + uint64(st.Concurrency)
	if err != nil {
		return nil, err
	}
	addUnsent(p.Counts, c.Objectives, float64(sr.stats.Unsent), float64(sr.stats.Done))
	if sending := sr.stats.Sending.Seconds(); sending > 0 {
		p.Good = float64(sr.stats.Done-min(sr.stats.Done, sr.failed.Load())) / sending
	}
	if s.env.Limited != nil {
		p.Limit = s.env.Limited(from, from.Add(sr.stats.Sending))
	}
	if !ph.aborted && ctx.Err() == nil && sr.stats.Sending < t.Duration {
		p.Ended = s.why(sr)
	}
	return p, nil
}

// why returns why a trial ended before its time.
func (s *trials) why(sr *streamRun) string {
	switch {
	case s.capacity.full.Load():
		return fmt.Sprintf("the %s that the store has room for were used up; use a smaller --obj.size, or a store of your own with --host", units.Size(s.capacity.limit))
	case sr.full.Load():
		return "the store was full"
	}
	return "no object was left in the data set; use more --objects"
}
