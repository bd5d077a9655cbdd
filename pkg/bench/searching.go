package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/pkg/op"
	"warp/pkg/search"
)

// Searching is a search in progress. It decides about trials from the reports of all clients, in one place for all.
type Searching struct {
	Record search.Record

	next *search.Trial // in progress; nil before the first trial, and after the search
}

// TrialPart is one client's part of a trial.
type TrialPart struct {
	Counts  [][]search.Count `json:"counts,omitempty"`
	Good    float64          `json:"good,omitempty"` // successful turns per second
	Aborted bool             `json:"aborted,omitempty"`
	Spent   time.Duration    `json:"spent_ns,omitempty"`
	Limit   string           `json:"limit,omitempty"` // why the client was the bottleneck
	Ended   string           `json:"ended,omitempty"` // why the trial ended before its time, which ends the search
}

// TrialStep is the end of a trial, and the beginning of the next.
type TrialStep struct {
	Done  *search.Observation // the preceding trial on all clients; nil if there was no trial, or it does not count
	Next  *search.Trial       // nil: the search ends
	Start time.Time           // of Next; zero: after its drain
}

// TrialGroup is a Group that decides about trials for all of its clients.
type TrialGroup interface {
	// NextTrial takes this client's part of a trial, nil before the first, waits for the other clients' parts, and returns the next step.
	// If ctx is over, it does not wait; mine.Ended is set then.
	NextTrial(ctx context.Context, mine *TrialPart) (*TrialStep, error)
}

// NewSearching returns the search of a phase on a number of clients; nil if the phase is not a search.
func NewSearching(plan *Compiled, phase, clients int) *Searching {
	ph := &plan.Phases[phase]
	if ph.Search == nil {
		return nil
	}
	s := &Searching{Record: search.Record{Config: ph.Search.Config, Trials: slices.Clone(ph.Search.Done)}}
	if len(plan.Phases) > 1 {
		s.Record.Stream = ph.Name
	}
	c := &s.Record.Config
	c.MaxInflight = ph.Concurrency * clients
	c.Objectives = objectivesOf(c.Objectives, plan.phaseStreams(phase)[0])
	s.Record.Phases = make([]string, len(ph.Search.Done))
	return s
}

// objectivesOf replaces each objective without a kind by one for each kind of operation.
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

// Number returns the number of the current or next trial; the first is 1.
func (s *Searching) Number() int { return len(s.Record.Trials) + 1 }

// Name returns the recorded phase of the current trial's operations.
func (s *Searching) Name(t *search.Trial) string {
	name := fmt.Sprintf("%02d-%s", s.Number(), t.Purpose)
	if s.Record.Stream != "" {
		name = s.Record.Stream + "-" + name
	}
	return name
}

// Title describes a trial, for progress.
func (s *Searching) Title(t *search.Trial, of *Stream) string {
	return fmt.Sprintf("%s: trial %d, %s", cmp.Or(s.Record.Stream, title(of)), s.Number(), t)
}

// add adds a completed trial.
func (s *Searching) add(o *search.Observation) {
	name := s.Name(&o.Trial)
	s.Record.Trials, s.Record.Phases = append(s.Record.Trials, *o), append(s.Record.Phases, name)
}

// Next takes the parts of all clients in the current trial, none before the first, and returns the next step. The error is the reason if
// the search ends early.
func (s *Searching) Next(parts []*TrialPart) (step TrialStep, err error) {
	if t := s.next; t != nil {
		s.next = nil
		for _, p := range parts {
			if p.Ended != "" {
				return step, fmt.Errorf("the search ended before its time: in trial %s %s", s.Name(t), p.Ended)
			}
		}
		step.Done = s.merged(t, parts)
		s.add(step.Done)
	}
	if t, ok := s.Record.Config.Next(s.Record.Trials); ok {
		s.next, step.Next = &t, &t
	}
	return step, nil
}

// merged returns the trial of all clients together.
func (s *Searching) merged(t *search.Trial, parts []*TrialPart) *search.Observation {
	o := &search.Observation{Trial: *t, Counts: make([][]search.Count, len(s.Record.Config.Objectives))}
	for i := range o.Counts {
		o.Counts[i] = make([]search.Count, t.Blocks)
	}
	for _, p := range parts {
		for i, blocks := range p.Counts {
			for k, n := range blocks {
				o.Counts[i][k].Operations += n.Operations
				o.Counts[i][k].Bad += n.Bad
			}
		}
		o.Achieved += p.Good
		o.Aborted = o.Aborted || p.Aborted
		if p.Limit != "" {
			o.ClientLimited, o.Limit = true, p.Limit
		}
		o.Spent = max(o.Spent, p.Spent)
	}
	return o
}

// Check returns an error unless a part fits the current trial. Parts come from other clients, which are not trusted.
func (s *Searching) Check(p *TrialPart) error {
	if (p == nil) != (s.next == nil) {
		return errors.New("a part of a trial that is not under way")
	}
	if p == nil || p.Ended != "" {
		return nil
	}
	if len(p.Counts) != len(s.Record.Config.Objectives) || p.Good < 0 || p.Spent < 0 {
		return errors.New("a part of another trial")
	}
	for _, blocks := range p.Counts {
		if len(blocks) != s.next.Blocks {
			return errors.New("a part of another trial")
		}
	}
	return search.CheckCounts(p.Counts)
}
