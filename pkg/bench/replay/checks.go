package replay

import (
	"cmp"
	"errors"
	"fmt"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/trace"
)

// Validate checks the parameters.
func (r *Replay) Validate(load work.Load, spec generator.Spec) (errs []error) {
	if err := checkTrace(r); err != nil {
		return []error{err}
	}
	if !(r.Speed > 0 && r.Speed <= maxSpeed) {
		errs = append(errs, option.Invalid("speed", float64(r.Speed), "more than 0, as in 2 for twice as fast"))
	}
	if err := option.OneOf("missing", r.Missing, MissingPolicies...); err != nil {
		errs = append(errs, err)
	}
	if err := option.OneOf("keys", cmp.Or(r.Keys, KeysHash), KeyChoices...); err != nil {
		errs = append(errs, err)
	}
	if r.Named() && spec.Keys != "" {
		errs = append(errs, option.Errorf("keys", "want names of the trace or a template, not both"))
	}
	switch {
	case !load.Timed:
		errs = append(errs, errors.New("replay: the trace says when operations are due; leave out rates and threads"))
	case load.Warmup > 0:
		errs = append(errs, option.Errorf("warmup", "a replay has none; use --from"))
	case r.Loop && load.Duration == 0:
		errs = append(errs, option.Errorf("loop", "want --duration, which ends it"))
	}
	return append(errs, checkClosedLoop(r, load)...)
}

// The maximum number of objects of a trace: at two bits each in an open loop, at 8 bytes each in a closed loop.
const (
	maxReplayObjects = 1 << 30
	maxThinkObjects  = 1 << 27
)

// checkTrace returns an error for a plan with a trace that cannot be replayed.
func checkTrace(r *Replay) error {
	s, highest := r.Summary, int64(maxReplayObjects)
	if s == nil || s.Operations < 1 || s.Operations > trace.MaxOperations || s.Span < 0 || s.Span > work.MaxDuration {
		return errors.New("replay: the plan has no trace")
	}
	if r.Think != "" {
		highest = maxThinkObjects
	}
	o := &s.Objects
	if o.Count < 0 || o.Count > highest || o.Prefixes < 0 || o.Numbers() < 1 || o.Numbers() > highest ||
		o.First < 0 || o.First > o.Numbers() || o.FirstBytes < 0 {
		const text = "replay: the trace has %d objects and prefixes, %d of them read first (want 1 to %d)"
		return fmt.Errorf(text, o.Count+o.Prefixes, o.First, highest)
	}
	return nil
}

// Needing counts the operations of the trace that need something.
func (r *Replay) Needing(v s3.Verb) (n, of int64) {
	if r.Summary == nil {
		return 0, 0
	}
	for _, k := range r.Summary.Kinds {
		if work.VerbOf(k.Kind) == v {
			n += k.Operations
		}
	}
	return n, r.Summary.Operations
}
