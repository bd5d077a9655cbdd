package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Plan is all that a run needs to know, as plain data. Flags, scripts and the network make plans; Run performs them.
type Plan struct {
	RunID    string         `json:"run_id,omitempty"` // in the names of the run's claims; empty: a random one
	Seed     uint64         `json:"seed"`
	Target   s3.Config      `json:"target"`
	Data     generator.Spec `json:"data"`
	Phases   []Phase        `json:"phases"`
	Room     int64          `json:"room,omitempty"`      // bytes that the store can take; 0: no limit is known
	KeepData bool           `json:"keep_data,omitempty"` // leave the objects of the run in the bucket
	Force    bool           `json:"force,omitempty"`     // may delete objects that the run did not make, if the workload is made for that

	// SharedData has all clients work on one data set, which they upload and clean up together. Alone it changes nothing.
	SharedData bool `json:"shared_data,omitempty"`
}

// Phase is one benchmark of a plan.
type Phase struct {
	Name        string          `json:"name,omitempty"` // in a plan of several phases
	Workload    string          `json:"workload"`       // name in the registry
	Params      json.RawMessage `json:"params"`         // of the workload
	Concurrency int             `json:"concurrency"`
	Duration    time.Duration   `json:"duration_ns,omitempty"`
	Rate        float64         `json:"rate,omitempty"` // operations per second of each client (open loop); 0: closed loop
	Autoterm    *Autoterm       `json:"autoterm,omitempty"`
}

// Autoterm ends a phase when its throughput is stable; see aggregate.Aggregator.Stable.
type Autoterm struct {
	MinDuration time.Duration `json:"min_duration_ns"` // how long it must have been stable
	Percent     float64       `json:"percent"`         // how far it may stray from the current speed
}

// NewPhase makes a phase of a workload with its present parameters.
func NewPhase(name string, w Workload) (Phase, error) {
	params, err := json.Marshal(w)
	if err != nil {
		return Phase{}, fmt.Errorf("encode parameters of %s: %w", name, err)
	}
	return Phase{Workload: name, Params: params}, nil
}

// NewWorkload makes the workload of the phase.
func (ph *Phase) NewWorkload() (Workload, error) {
	info, ok := Lookup(ph.Workload)
	if !ok {
		return nil, fmt.Errorf("unknown workload %q", ph.Workload)
	}
	w := info.Default()
	if len(ph.Params) > 0 {
		if err := json.Unmarshal(ph.Params, w); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", ph.Workload, err)
		}
	}
	return w, nil
}

// Common tells whether all clients read the same objects.
func (p *Plan) Common() bool {
	for i := range p.Phases {
		w, err := p.Phases[i].NewWorkload()
		if err != nil {
			return false // Validate says what is wrong
		}
		if w.Traits().readsOnly() {
			return true
		}
	}
	return p.SharedData
}

// Validate checks the plan, and returns all that is wrong with it as one error. What it lets pass can be set up at a cost that
// is bounded, wherever the plan came from.
func (p *Plan) Validate() error {
	errs := p.limits()
	if n := len(p.Phases); n > MaxPhases {
		return errors.Join(append(errs, fmt.Errorf("the plan has %d phases, more than %d", n, MaxPhases))...)
	}
	if len(p.Phases) == 0 {
		errs = append(errs, errors.New("the plan has no phase"))
	}
	if largest := p.Data.Sizes.Largest(); largest > maxPut {
		errs = append(errs, fmt.Errorf("obj.size: %d bytes is more than S3 takes in one PUT (5 GiB)", largest))
	}
	if p.SharedData && len(p.Phases) > 1 {
		errs = append(errs, errors.New("shared-data: several benchmarks in one run cannot share a data set; run them one after the other, with --keep-data and --list-existing"))
	}
	for i := range p.Phases {
		errs = append(errs, p.Phases[i].validate(p)...)
	}
	return errors.Join(errs...)
}

func (ph *Phase) validate(p *Plan) (errs []error) {
	errs = ph.limits()
	w, err := ph.NewWorkload()
	if err != nil {
		return append(errs, err)
	}
	if v, ok := w.(Validator); ok {
		errs = append(errs, v.Validate(p, ph)...)
	}
	if w.Traits().destroys() {
		errs = append(errs, p.mayDestroy(ph.Workload))
	}
	if _, ok := w.(Sharer); p.SharedData && !ok {
		errs = append(errs, fmt.Errorf("shared-data: each client of %s works on objects of its own, so there is nothing to share; leave it out", ph.Workload))
	}
	return errs
}

// mayDestroy complains of a workload that would overwrite or delete objects that the run did not make, unless that is wanted
// beyond doubt.
func (p *Plan) mayDestroy(workload string) error {
	if !p.Force {
		return fmt.Errorf("%s on bucket %q: %w", workload, p.Target.Bucket, errForeign)
	}
	if p.Data.Prefix != "" && generator.NewKeys(p.Data, 0, 1).Root() == "" {
		return fmt.Errorf("prefix: %q is no prefix, so %s would work on all objects of bucket %q; name one, or leave it out if that is what you want",
			p.Data.Prefix, workload, p.Target.Bucket)
	}
	return nil
}

var errForeign = errors.New("it would overwrite or delete objects that this run did not make; add --force if that is what you want")
