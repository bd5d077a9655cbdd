// Package parts divides the traces of a plan among clients.
package parts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/trace"
)

// TracesOf returns the names of a plan's traces, each once; an error if clients cannot share their replay.
func TracesOf(p *bench.Plan) (names []string, err error) {
	err = eachReplay(p, func(s *bench.Stream, r *replay.Replay) error {
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

// WithTraces returns the plan of a client that replays parts of traces, given by name.
func WithTraces(p *bench.Plan, parts map[string]*trace.Summary) (*bench.Plan, error) {
	c := *p
	c.Phases = slices.Clone(p.Phases)
	for i := range c.Phases {
		c.Phases[i].Parallel = slices.Clone(c.Phases[i].Parallel)
	}
	err := eachReplay(&c, func(s *bench.Stream, r *replay.Replay) (err error) {
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

// Unreplayed returns the results of the plan's replays of parts of traces if nothing was sent.
func Unreplayed(c *bench.Compiled, parts map[string]*trace.Summary) (list []trace.Replayed) {
	for stream, w := range c.Workloads() {
		r, ok := w.(*replay.Replay)
		if !ok || parts[r.Trace] == nil {
			continue
		}
		part := parts[r.Trace]
		done := trace.Replayed{Stream: stream, Speed: float64(r.Speed), Span: part.Span}
		for _, k := range part.Kinds {
			none := trace.NewReplayedKind(k.Kind)
			none.Operations = k.Operations
			done.Kinds = append(done.Kinds, *none)
		}
		list = append(list, done)
	}
	return list
}

// TraceBytes returns the maximum size of a trace of the plan in bytes; 0 if the plan does not replay it.
func TraceBytes(p *bench.Plan, name string) (highest int64) {
	_ = eachReplay(p, func(_ *bench.Stream, r *replay.Replay) error { // it was decoded before
		if r.Trace == name {
			highest = max(highest, r.Summary.MaxBytes(r.Named()))
		}
		return nil
	})
	return highest
}

// eachReplay calls do for the streams that replay a trace.
func eachReplay(p *bench.Plan, do func(s *bench.Stream, r *replay.Replay) error) error {
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if s.Workload != replay.Info.Name {
				continue
			}
			var r replay.Replay
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
