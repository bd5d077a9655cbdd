package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Plan describes a run as plain data. Plans come from flags, scripts and the network; Compile checks them.
type Plan struct {
	RunID    string                    `json:"run_id,omitempty"` // in the names of the run's claims; empty: a random one
	Seed     uint64                    `json:"seed"`
	Target   s3.Config                 `json:"target"`
	Data     generator.Spec            `json:"data"`           // of data sets without a name: each stream has one of its own
	Sets     map[string]generator.Spec `json:"sets,omitempty"` // of those with a name, which streams can share
	Phases   []Phase                   `json:"phases"`
	Room     int64                     `json:"room,omitempty"`         // bytes that the store can take; 0: no limit is known
	KeepData bool                      `json:"keep_data,omitempty"`    // leave the objects of the run in the bucket
	KeepSets []string                  `json:"keep_sets,omitempty"`    // likewise those of these data sets
	StopFull bool                      `json:"stop_on_full,omitempty"` // end when the store is full
	Force    bool                      `json:"force,omitempty"`        // may delete objects that the run did not make, if the workload is made for that

	// SharedData has all clients work on one data set, which they upload and clean up together. Alone it changes nothing.
	SharedData bool `json:"shared_data,omitempty"`
}

// Phase is a stream of operations, and streams and steps beside it, until all have ended; or only steps, or a search.
type Phase struct {
	Stream
	Beside []Stream `json:"beside,omitempty"`
	Steps  []Step   `json:"steps,omitempty"`  // side by side
	Search *Search  `json:"search,omitempty"` // the stream is measured in trials
}

// Measures reports whether the phase has streams. Else it has only steps.
func (ph *Phase) Measures() bool {
	return len(ph.Steps) == 0 || ph.Workload != "" || len(ph.Tasks) > 0
}

// Streams returns all streams of the phase.
func (ph *Phase) Streams() []*Stream {
	var list []*Stream
	if ph.Measures() {
		list = append(list, &ph.Stream)
	}
	for i := range ph.Beside {
		list = append(list, &ph.Beside[i])
	}
	return list
}

// Names returns the names of the streams of the phase, as in records.
func (ph *Phase) Names() []string {
	var names []string
	if !ph.Measures() {
		names = append(names, op.PhasePrepare)
	}
	for _, s := range ph.Streams() {
		names = append(names, s.Name)
	}
	return names
}

// Title returns the names of the streams of the phase, of their workloads where they have none, and what its steps do.
func (ph *Phase) Title() string {
	var names []string
	for _, s := range ph.Streams() {
		names = append(names, cmp.Or(s.Name, title(s)))
	}
	for i := range ph.Steps {
		names = append(names, ph.Steps[i].String())
	}
	return strings.Join(names, " + ")
}

// Title returns the title of the first phase that measures.
func (p *Plan) Title() string {
	for i := range p.Phases {
		if p.Phases[i].Measures() {
			return p.Phases[i].Title()
		}
	}
	return p.Phases[0].Title()
}

// Stream is a workload, or several in proportions, with its load.
type Stream struct {
	Name        string          `json:"name,omitempty"`     // in records and reports; in a plan of one stream it may be empty
	Set         string          `json:"data_set,omitempty"` // name of its data set; empty: one of its own
	Workload    string          `json:"workload,omitempty"` // name in the registry
	Params      json.RawMessage `json:"params,omitempty"`   // of the workload
	Tasks       Tasks           `json:"tasks,omitempty"`    // instead of one workload on one data set
	Clients     []uint64        `json:"clients,omitempty"`  // numbers of those that take part, from 0; empty: all
	Concurrency int             `json:"concurrency"`        // threads of each client; at most, where their number changes
	Threads     load.Shape      `json:"threads,omitzero"`   // of a closed loop: how many threads of each client are at work, over time after the warm-up
	Duration    time.Duration   `json:"duration_ns,omitempty"`
	Ops         uint64          `json:"ops,omitempty"`         // operations of all clients together: turns, which may perform several requests each; 0: no limit
	Bytes       int64           `json:"bytes,omitempty"`       // that successful operations of all clients transfer together; 0: no limit
	Passes      float64         `json:"passes,omitempty"`      // through the data set; 0: no limit
	Warmup      time.Duration   `json:"warmup_ns,omitempty"`   // before the rest: what begins in it is recorded, but in no figure, and no limit counts it
	Think       load.Think      `json:"think,omitzero"`        // of a closed loop
	Rate        float64         `json:"rate,omitempty"`        // turns per second of each client (open loop); 0: closed loop
	Schedule    load.Shape      `json:"schedule,omitzero"`     // instead of Rate: turns per second of all clients together
	Portion     *Portion        `json:"rate_of,omitempty"`     // instead of Rate: a share of what an earlier phase achieved
	Arrivals    load.Arrivals   `json:"arrivals,omitempty"`    // of an open loop
	Timed       bool            `json:"timed,omitempty"`       // instead of Rate: the workload says when turns are due, see Timed
	MaxLate     time.Duration   `json:"max_late_ns,omitempty"` // of an open loop: later than this a turn is not sent; 0: no limit
	OK          []int           `json:"ok,omitempty"`          // statuses that are outcomes of operations, reported by themselves, and no errors
	Retry       *work.Retry     `json:"retry,omitempty"`       // of operations, instead of those of tasks; nil: each has one attempt
	Autoterm    *Autoterm       `json:"autoterm,omitempty"`
}

// NewPhase returns a phase of a workload with its present parameters.
func NewPhase(name string, w work.Workload) (Phase, error) {
	params, err := json.Marshal(w)
	if err != nil {
		return Phase{}, fmt.Errorf("encode parameters of %s: %w", name, err)
	}
	return Phase{Stream: Stream{Workload: name, Params: params}}, nil
}

// Compiled is a plan with its workloads. It is valid for one run, since workloads have state. Of the plan, only Target
// and Room may change afterwards.
type Compiled struct {
	*Plan
	streams []*stream // in the order of their phases
	tasks   []*task   // of all streams, in their order
	sets    []*setPlan
}

// stream is a Stream with what it does.
type stream struct {
	*Stream
	phase int
	seed  uint64
	tasks []*task // one, or those of Stream.Tasks; behind each its companions

	weights []work.Share // of the tasks that have turns of their own, which come first
}

// setPlan is a data set of the plan.
type setPlan struct {
	spec    generator.Spec
	seed    uint64
	threads int    // of all streams that work on it, at most
	objects uint64 // that are uploaded in the preparation
	names   uint64 // see Layout; 0: each object has a name of its own
	extra   int    // buckets beside those of its objects, at most
	makes   bool   // its objects are the run's own
	name    string // in Plan.Sets; empty: it is of one task
	step    bool   // it is prepared, verified or deleted by steps
	later   bool   // by a step that prepares it, so not before the first phase
	taken   bool   // objects are taken out
	locks   bool   // its versions may be locked by the run
	keep    bool   // its objects stay in the bucket
	rewrite bool   // tasks give objects other contents

	changes   bool // streams add objects to it or take some out, and all can work on it meanwhile
	inventory bool // which objects exist at the moment is kept: it changes so, or a workload needs it for itself
}

// Decode decodes the workloads of a plan, which it leaves as it is. It does not check whether the plan can be run.
func Decode(p *Plan) (*Compiled, error) {
	own := *p
	c, err := own.decode()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// decode returns what can be decoded even with an error.
func (p *Plan) decode() (*Compiled, error) {
	c := &Compiled{Plan: p}
	if len(p.Phases) == 0 {
		return c, errors.New("the plan has no phase")
	}
	named := map[string]*setPlan{}
	var errs []error
	for i := range p.Phases {
		ph := &p.Phases[i]
		if n := len(c.streams) + 1 + len(ph.Beside) + len(p.Phases) - i - 1; n > MaxPhases {
			return c, fmt.Errorf("the plan has %d phases (want at most %d)", n, MaxPhases)
		}
		for _, s := range ph.Streams() {
			errs = append(errs, c.add(i, s, named))
		}
	}
	c.markSteps()
	c.settleSets()
	return c, errors.Join(errs...)
}

// add adds a stream.
func (c *Compiled) add(phase int, st *Stream, named map[string]*setPlan) error {
	s := &stream{Stream: st, phase: phase, seed: c.Seed}
	if n := len(c.streams); n > 0 {
		s.seed = generator.Mix(c.Seed, 1<<63+uint64(n))
	}
	list, err := tasksOf(st)
	if err != nil {
		return err
	}
	var errs []error
	for k := range list {
		if err := s.addTasks(c, &list[k], k, named); err != nil {
			errs = append(errs, inTask(st, k, err))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, s.checkWeights(), s.label())
	}
	c.streams = append(c.streams, s)
	return errors.Join(errs...)
}

// addTask adds a task of a stream, or a companion of one.
func (c *Compiled) addTask(s *stream, st *Stream, k int, companion string, named map[string]*setPlan) error {
	w, err := work.Decode(st.Workload, st.Params)
	if err != nil {
		return err
	}
	t := &task{Stream: st, of: s, number: k, workload: w, traits: w.Traits(), seed: s.seed, companion: companion}
	if n := len(s.tasks); n > 0 {
		t.seed = generator.Mix(s.seed, 1<<61+uint64(n))
	}
	spec, ok := c.Data, true
	if st.Set != "" {
		t.set = named[st.Set]
		spec, ok = c.Sets[st.Set]
	}
	if t.set == nil {
		t.set = &setPlan{spec: objectsOf(t, spec), seed: dataset.SeedOf(spec, t.seed, len(c.sets)), keep: c.KeepData || st.Set != "" && slices.Contains(c.KeepSets, st.Set)}
		c.sets = append(c.sets, t.set)
		if t.set.name = st.Set; st.Set != "" {
			named[st.Set], t.set.seed = t.set, dataset.SeedOf(spec, generator.Mix(generator.Mix(c.Seed, 1<<62), dataset.Hash(st.Set)), 0)
		}
	}
	c.Target.Buckets = max(c.Target.Buckets, t.set.spec.Buckets)
	t.set.threads = max(t.set.threads, st.Concurrency)
	t.set.objects, t.set.extra = max(t.set.objects, t.traits.Uploads()), max(t.set.extra, extraOf(t, t.set.spec))
	t.set.names = t.traits.Names()
	c.Target.OtherBuckets = c.Target.OtherBuckets || t.traits.Extra != nil
	t.set.locks, t.set.makes, t.set.rewrite = t.set.locks || t.traits.Locks, t.set.makes || !t.traits.Existing, t.set.rewrite || t.traits.Rewrites
	s.tasks, c.tasks = append(s.tasks, t), append(c.tasks, t)
	if !ok {
		return fmt.Errorf("stream %q: the plan has no data set %q", st.Name, st.Set)
	}
	return nil
}

// Common reports whether all clients read the same objects.
func (c *Compiled) Common() bool {
	return c.SharedData || slices.ContainsFunc(c.tasks, func(t *task) bool { return t.traits.ReadsOnly() })
}

// keeps reports whether objects of the run stay in the bucket.
func (c *Compiled) keeps() bool {
	return slices.ContainsFunc(c.sets, func(s *setPlan) bool { return s.keep })
}

// readsOnly reports whether no stream makes or deletes objects.
func (c *Compiled) readsOnly() bool {
	return !slices.ContainsFunc(c.tasks, func(t *task) bool { return !t.traits.ReadsOnly() })
}

// features returns what the run needs of its bucket.
func (c *Compiled) features() (list []preflight.Feature) {
	for _, t := range c.tasks {
		list = append(list, t.traits.Features()...)
	}
	return list
}

// phaseStreams returns the streams of a phase.
func (c *Compiled) phaseStreams(phase int) (list []*stream) {
	for _, s := range c.streams {
		if s.phase == phase {
			list = append(list, s)
		}
	}
	return list
}

// Prefixes returns prefixes that cover everything that client number share makes, so that it can be found if the client
// is lost: those of its threads and its claims, or the common prefix (perhaps empty) if threads have none. Nil if the
// plan makes no objects, or keeps them.
func (c *Compiled) Prefixes(share uint64) []string {
	if c.KeepData || c.readsOnly() {
		return nil
	}
	var dirs []string
	for _, set := range c.sets {
		if set.keep {
			continue
		}
		keys := c.keys(set, share)
		for i := range keys.Dirs() {
			dirs = append(dirs, keys.Dir(i))
		}
		if claims := keys.Claims(); !strings.HasPrefix(claims, keys.Dir(0)) {
			dirs = append(dirs, claims)
		}
	}
	return dirs
}

// eachSet calls do for the data sets of a run that had so many clients (0: one), or only for those of one client.
func (c *Compiled) eachSet(clients uint64, client *uint64, do func(set *setPlan, share uint64)) {
	shares := max(1, clients)
	if c.SharedData {
		shares, client = 1, nil
	}
	for share := range shares {
		if client != nil && share != *client {
			continue
		}
		for _, set := range c.sets {
			do(set, share)
		}
	}
}

// keys returns the keys of a client's objects.
func (c *Compiled) keys(set *setPlan, share uint64) generator.Keys {
	if c.SharedData {
		share = 0
	}
	return generator.NewKeys(set.spec, c.seedOf(set, share), set.threads).Of(share)
}

// seedOf returns the seed of a client's objects; it is the same for all clients that share them.
func (c *Compiled) seedOf(set *setPlan, share uint64) uint64 {
	if c.SharedData {
		share = 0
	}
	return generator.Mix(set.seed, share)
}

// Connections returns the maximum number of concurrent requests.
func (c *Compiled) Connections() int {
	return c.mostAtOnce(func(s *stream) int { return s.Concurrency * s.lanes() })
}

// threads returns the maximum number of threads in a phase.
func (c *Compiled) threads() int {
	return c.mostAtOnce(func(s *stream) int { return s.Concurrency })
}

// mostAtOnce returns the largest sum of a figure over the streams of a phase.
func (c *Compiled) mostAtOnce(of func(*stream) int) (most int) {
	for phase := range c.Phases {
		sum := threadsOf(c.Phases[phase].Steps)
		for _, s := range c.phaseStreams(phase) {
			sum += of(s)
		}
		most = max(most, sum)
	}
	return most
}

// Workloads returns the workloads, with the names of their streams in results.
func (c *Compiled) Workloads() iter.Seq2[string, work.Workload] {
	return func(yield func(string, work.Workload) bool) {
		for _, t := range c.tasks {
			if !yield(resultName(c, t.of), t.workload) {
				return
			}
		}
	}
}

// resultName returns the name that a stream has in results: empty if the plan has no other.
func resultName(c *Compiled, s *stream) string {
	if len(c.streams) == 1 {
		return ""
	}
	return s.Name
}

// WorkloadOf returns the workload of a stream, and whether it leaves the objects of its data set as they are. The stream is valid.
func WorkloadOf(s *Stream) (w work.Workload, reads bool) {
	w, err := work.Decode(s.Workload, s.Params)
	if err != nil {
		return nil, false
	}
	return w, w.Traits().Effect == work.Reads
}
