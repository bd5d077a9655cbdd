package bench

import (
	"context"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/search"
	"warp/pkg/units"
)

// trials are the trials of a search in progress.
type trials struct {
	*Run
	*Searching
	of    *stream
	turns uint64    // number of turns in earlier trials
	begun time.Time // the pause before the trial
	start time.Time // of the trial
}

// performSearch performs the trials of a phase. The first begins at a given time.
func performSearch(ctx context.Context, r *Run, phase int, start time.Time) error {
	s := &trials{Run: r, Searching: NewSearching(r.plan, phase, int(r.share.Total)), of: r.plan.phaseStreams(phase)[0], start: start}
	err := s.perform(ctx)
	r.result.Searches = append(r.result.Searches, s.Record)
	noteHeld(r, s.of)
	return err
}

// perform performs trials until there are enough, or the run must end.
func (s *trials) perform(ctx context.Context) error {
	var mine *TrialPart
	for {
		step, err := s.nextStep(ctx, mine)
		if ctx.Err() != nil {
			s.result.Interrupted = true
			return nil
		}
		if err != nil || step.Next == nil {
			return err
		}
		if !s.pause(ctx, &step, mine == nil) {
			mine = &TrialPart{}
		} else if mine, err = s.measure(ctx, step.Next); err != nil {
			return err
		}
		if ctx.Err() != nil {
			mine = &TrialPart{Ended: "it was interrupted"}
		}
	}
}

// nextStep ends a trial, and returns the next step.
func (s *trials) nextStep(ctx context.Context, mine *TrialPart) (step TrialStep, err error) {
	g, shared := s.env.Group.(TrialGroup)
	if shared {
		got, err := g.NextTrial(ctx, mine)
		if err != nil {
			return step, err
		}
		if step = *got; step.Done != nil {
			s.add(step.Done)
		}
	} else if step, err = s.Next([]*TrialPart{mine}); err != nil {
		if ctx.Err() == nil {
			s.warn("%v", err)
		}
		return step, nil
	}
	if w, ok := s.env.Observer.(TrialObserver); ok && step.Done != nil {
		w.Trial(len(s.Record.Trials), step.Done, s.Record.Config.Verdict(step.Done))
	}
	return step, nil
}

// pause waits until a trial may begin, and sets its start. It returns false if ctx ends first.
func (s *trials) pause(ctx context.Context, step *TrialStep, first bool) bool {
	s.begun = clock.Now()
	switch {
	case !step.Start.IsZero(): // of all clients
		if step.Start.After(s.start) {
			s.start = step.Start
		}
	case !first || s.start.IsZero():
		if !clock.Pause(ctx, step.Next.Drain) {
			return false
		}
		s.start = clock.Now()
	}
	if first {
		s.begun = s.start
	}
	return true
}

// stream returns the stream of a trial; nil if this client takes no part.
func (s *trials) stream(t *search.Trial, name string) *stream {
	st := *s.of.Stream
	st.Name, st.Warmup, st.Duration = name, t.Settle, t.Duration
	threads := s.share.Of(uint64(t.Threads))
	if threads == 0 {
		return nil
	}
	st.Concurrency = min(int(threads), s.of.Concurrency)
	if t.Rate > 0 {
		st.Schedule, st.Arrivals = load.Constant(t.Rate), s.plan.Phases[s.of.phase].Search.Arrivals
	}
	c := *s.of
	c.Stream, c.seed = &st, generator.Mix(s.of.seed, 1<<60+uint64(len(s.Record.Trials)))
	return &c
}

// measure performs this client's part of a trial.
func (s *trials) measure(ctx context.Context, t *search.Trial) (*TrialPart, error) {
	from := s.start.Add(t.Settle)
	name, c := s.Name(t), s.Record.Config
	s.counts.begin(name, c.Objectives, from, t)
	st := s.stream(t, name)
	if st == nil {
		return &TrialPart{Counts: s.counts.end()}, nil
	}
	abort, release := abortAfter(ctx)
	defer release()
	o, err := loadOf(st, s.loadOptions(s.start, abort))
	if err != nil {
		return nil, err
	}
	sr := s.streamRun(st, o, s.slots)
	sr.global, sr.first = false, s.turns
	ph := &phaseRun{
		Phase:         &Phase{Stream: *st.Stream},
		index:         s.of.phase,
		ended:         endedOf(s.Run, s.of.phase),
		env:           &s.env,
		live:          s.live,
		recordingErrs: s.collector.Errs(),
		streams:       []*streamRun{sr},
		title:         s.Title(t, s.of.Stream),
		backlog:       t.Backlog / float64(s.share.Total),
	}
	err = ph.perform(ctx)
	s.collector.Deliver()
	p := &TrialPart{Counts: s.counts.end(), Aborted: ph.aborted, Spent: clock.Now().Sub(s.begun)}
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
		p.Limit = s.env.Limited(from, from.Add(sr.stats.Sending), s.counts.shares())
	}
	switch {
	case ph.cut:
		p.Ended = "it was interrupted"
	case !ph.aborted && ctx.Err() == nil && sr.stats.Sending < t.Duration:
		p.Ended = s.why(sr)
	}
	return p, nil
}

// why returns the reason for the early end of a trial.
func (s *trials) why(sr *streamRun) string {
	switch {
	case sr.noRoom.Load():
		const text = "the %s that the store has room for were used up; use a smaller --obj.size, or a store of your own with --host"
		return fmt.Sprintf(text, units.Size(s.capacity.Limit))
	case sr.full.Load():
		return "the store was full"
	}
	return "no object was left in the data set; use more --objects"
}
