package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Plan is all that a run needs to know, as plain data. Flags, scripts and the network make plans; Compile checks them.
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

// Autoterm ends a phase when its throughput is stable; see aggregate.Live.Stable.
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

// Compiled is a plan with its workloads. It is good for one run: workloads keep what happens in it. Of the plan, only Target
// and Room may change afterwards.
type Compiled struct {
	*Plan
	phases []phase
}

// phase is a Phase with its workload.
type phase struct {
	*Phase
	workload Workload
	traits   Traits
}

// Decode makes the workloads of a plan. It does not check whether the plan can be run.
func Decode(p *Plan) (*Compiled, error) {
	if len(p.Phases) == 0 {
		return nil, errors.New("the plan has no phase")
	}
	if n := len(p.Phases); n > MaxPhases {
		return nil, fmt.Errorf("the plan has %d phases, more than %d", n, MaxPhases)
	}
	c := &Compiled{Plan: p}
	var errs []error
	for i := range p.Phases {
		ph, err := p.Phases[i].decode()
		c.phases, errs = append(c.phases, ph), append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (ph *Phase) decode() (phase, error) {
	info, ok := Lookup(ph.Workload)
	if !ok {
		return phase{}, fmt.Errorf("unknown workload %q", ph.Workload)
	}
	w := info.Default()
	if len(ph.Params) > 0 {
		if err := json.Unmarshal(ph.Params, w); err != nil {
			return phase{}, fmt.Errorf("parameters of %s: %w", ph.Workload, err)
		}
	}
	return phase{Phase: ph, workload: w, traits: w.Traits()}, nil
}

// Compile decodes and checks a plan, and returns all that is wrong with it as one error. What passes can be set up at a
// bounded cost, no matter where the plan came from.
func Compile(p *Plan) (*Compiled, error) {
	c, err := Decode(p)
	errs := append(p.limits(), err)
	if largest := p.Data.Sizes.Largest(); largest > maxPut {
		errs = append(errs, option.Errorf("obj.size", "%d bytes is more than one PUT can hold (5 GiB)", largest))
	}
	if p.SharedData && len(p.Phases) > 1 {
		errs = append(errs, option.Errorf("shared-data", "several benchmarks in one run cannot share a data set; run them one after the other, with --keep-data and --list-existing"))
	}
	if c != nil {
		for i := range c.phases {
			errs = append(errs, c.phases[i].validate(p)...)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

func (ph *phase) validate(p *Plan) (errs []error) {
	if ph.workload == nil {
		return nil
	}
	errs = ph.limits()
	if v, ok := ph.workload.(Validator); ok {
		errs = append(errs, v.Validate(p, ph.Phase)...)
	}
	if len(errs) > 0 {
		return errs
	}
	if err := ph.traits.validate(); err != nil {
		return []error{fmt.Errorf("%s: %w", ph.Workload, err)}
	}
	if ph.traits.destroys() {
		errs = append(errs, p.mayDestroy(ph.Workload))
	}
	if p.SharedData && !ph.traits.Shares {
		errs = append(errs, option.Errorf("shared-data", "each client of %s works on objects of its own, so there is nothing to share; leave it out", ph.Workload))
	}
	return errs
}

// mayDestroy complains of a workload that would overwrite or delete objects that the run did not make, unless that is wanted
// beyond doubt.
func (p *Plan) mayDestroy(workload string) error {
	if !p.Force {
		return fmt.Errorf("%s on bucket %q: it would overwrite or delete objects that this run did not make; add --force if that is what you want",
			workload, p.Target.Bucket)
	}
	if p.Data.Prefix != "" && generator.NewKeys(p.Data, 0, 1).Root() == "" {
		return option.Errorf("prefix", "%q is no prefix, so %s would work on all objects of bucket %q; name one, or leave it out if that is what you want",
			p.Data.Prefix, workload, p.Target.Bucket)
	}
	return nil
}

// Common reports whether all clients read the same objects.
func (c *Compiled) Common() bool {
	return c.SharedData || slices.ContainsFunc(c.phases, func(ph phase) bool { return ph.traits.readsOnly() })
}

// readsOnly reports whether no phase makes or deletes objects.
func (c *Compiled) readsOnly() bool {
	return !slices.ContainsFunc(c.phases, func(ph phase) bool { return !ph.traits.readsOnly() })
}

// Need is about how many bytes the preparation of the plan uploads.
func (c *Compiled) Need() (bytes int64) {
	for i := range c.phases {
		bytes += dataSize(c.Data.Sizes, c.Seed, c.phases[i].traits.uploads())
	}
	return bytes
}

// Prefixes are those below which everything lies that client number share makes, so that it can be found if the client
// is gone: those of its threads and its claim, or what all keys begin with (perhaps nothing) if threads have none. Nil if the plan makes
// no objects, or keeps them.
func (c *Compiled) Prefixes(share uint64) []string {
	if c.KeepData || c.readsOnly() {
		return nil
	}
	var dirs []string
	for phase := range c.phases {
		keys := c.keys(phase, share)
		for i := range keys.Dirs() {
			dirs = append(dirs, keys.Dir(i))
		}
		if claims := keys.Claims(); !strings.HasPrefix(claims, keys.Dir(0)) {
			dirs = append(dirs, claims)
		}
	}
	return dirs
}

// keys are the names of a client's data set in a phase.
func (c *Compiled) keys(phase int, share uint64) generator.Keys {
	return generator.NewKeys(c.Data, c.seedOf(phase, share), c.phases[phase].Concurrency)
}

// seedOf is the seed of a client's data set in a phase; all clients have the same if they share it.
func (p *Plan) seedOf(phase int, share uint64) uint64 {
	if p.SharedData {
		share = 0
	}
	return generator.Mix(p.phaseSeed(phase), share)
}

// phaseSeed is another one for each phase, so that none meets the objects of another one.
func (p *Plan) phaseSeed(phase int) uint64 {
	if phase == 0 {
		return p.Seed
	}
	return generator.Mix(p.Seed, 1<<63+uint64(phase))
}

// Connections is the number of requests that the plan has under way at most.
func (c *Compiled) Connections() (n int) {
	for i := range c.phases {
		n = max(n, c.phases[i].Concurrency*c.phases[i].traits.lanes())
	}
	return n
}

// threads is how many threads the phase with the most of them has.
func (p *Plan) threads() (n int) {
	for i := range p.Phases {
		n = max(n, p.Phases[i].Concurrency)
	}
	return n
}
