package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/trace"
)

// TracesOf returns the names of the traces that a plan replays, each once; an error if clients cannot replay them together.
func TracesOf(p *Plan) (names []string, err error) {
	err = eachReplay(p, func(s *Stream, r *Replay) error {
		switch {
		case len(s.Clients) > 0:
			return errors.New("replay: a trace is divided among all clients; leave out which of them take part")
		case r.Think != "":
			return option.Errorf("think, warp-client", "the objects of a client of the trace would be on several clients; replay it on one machine")
		case s.Ops > 0 && (r.Loop || s.Ops != uint64(r.Summary.Operations)):
			return option.Errorf("ops", "a replay on clients ends with its trace, or after a duration")
		}
		if !slices.Contains(names, r.Trace) {
			names = append(names, r.Trace)
		}
		return nil
	})
	return names, err
}

// WithTraces returns the plan for a client that replays these parts of traces, by their names.
func WithTraces(p *Plan, parts map[string]*trace.Summary) (*Plan, error) {
	c := *p
	c.Phases = slices.Clone(p.Phases)
	for i := range c.Phases {
		c.Phases[i].Beside = slices.Clone(c.Phases[i].Beside)
	}
	err := eachReplay(&c, func(s *Stream, r *Replay) (err error) {
		part := parts[r.Trace]
		if part == nil {
			return fmt.Errorf("replay: no part of the trace %s", r.Trace)
		}
		if s.Ops > 0 {
			s.Ops = uint64(part.Operations)
		}
		r.Summary = part
		s.Params, err = json.Marshal(r)
		return err
	})
	return &c, err
}

// Unreplayed returns what the plan's replays of these parts of traces come to if nothing is sent.
func Unreplayed(c *Compiled, parts map[string]*trace.Summary) (list []trace.Replayed) {
	for _, t := range c.tasks {
		r, ok := t.workload.(*Replay)
		if !ok || parts[r.Trace] == nil {
			continue
		}
		part := parts[r.Trace]
		done := trace.Replayed{Stream: resultName(c, t.of), Speed: float64(r.Speed), Span: part.Span}
		for _, k := range part.Kinds {
			none := trace.NewReplayedKind(k.Kind)
			none.Operations = k.Operations
			done.Kinds = append(done.Kinds, *none)
		}
		list = append(list, done)
	}
	return list
}

// resultName returns the name that a stream has in results: empty if the plan has no other.
func resultName(c *Compiled, s *stream) string {
	if len(c.streams) == 1 {
		return ""
	}
	return s.Name
}

// TraceBytes returns how many bytes a trace has at most that the plan replays; 0 if it replays none of that name.
func TraceBytes(p *Plan, name string) (most int64) {
	_ = eachReplay(p, func(_ *Stream, r *Replay) error { // it was decoded before
		if r.Trace == name {
			most = max(most, r.Summary.MostBytes(r.named()))
		}
		return nil
	})
	return most
}

// eachReplay calls do for the streams that replay a trace.
func eachReplay(p *Plan, do func(s *Stream, r *Replay) error) error {
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if s.Workload != ReplayInfo.Name {
				continue
			}
			var r Replay
			if err := json.Unmarshal(s.Params, &r); err != nil || r.Summary == nil {
				return errors.Join(errors.New("replay: the plan has no trace"), err)
			}
			if err := do(s, &r); err != nil {
				return err
			}
		}
	}
	return nil
}
