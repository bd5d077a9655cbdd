package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Plan describes a run as plain data. Plans come from flags, scripts and the network; Compile checks them.
type Plan struct {
	RunID    string                    `json:"run_id,omitempty"` // in the names of the run's claims; empty: random
	Seed     uint64                    `json:"seed"`
	Target   s3.Config                 `json:"target"`
	Data     generator.Spec            `json:"data"`           // of unnamed data sets: each stream has its own
	Sets     map[string]generator.Spec `json:"sets,omitempty"` // of named data sets, which streams can share
	Phases   []Phase                   `json:"phases"`
	Room     int64                     `json:"room,omitempty"`         // capacity of the store in bytes; 0: unknown
	KeepData bool                      `json:"keep_data,omitempty"`    // leave the objects of the run in the bucket
	KeepSets []string                  `json:"keep_sets,omitempty"`    // likewise, of these data sets only
	StopFull bool                      `json:"stop_on_full,omitempty"` // end when the store is full
	Force    bool                      `json:"force,omitempty"`        // existing objects may be overwritten and deleted

	// SharedData makes all clients work on one data set, which they upload and clean up together. It has no effect on a single client.
	SharedData bool `json:"shared_data,omitempty"`
}

// Phase is parallel streams and steps, until all have ended; or only steps; or a search.
type Phase struct {
	Stream
	Parallel []Stream `json:"beside,omitempty"`
	Steps    []Step   `json:"steps,omitempty"`  // in parallel
	Search   *Search  `json:"search,omitempty"` // the stream is measured in trials
}

// Measures reports whether the phase has streams, rather than only steps.
func (ph *Phase) Measures() bool {
	return len(ph.Steps) == 0 || ph.Workload != "" || len(ph.Tasks) > 0
}

// Streams returns all streams of the phase.
func (ph *Phase) Streams() []*Stream {
	var list []*Stream
	if ph.Measures() {
		list = append(list, &ph.Stream)
	}
	for i := range ph.Parallel {
		list = append(list, &ph.Parallel[i])
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

// Title returns the names of the streams of the phase, or of their workloads, and the actions of its steps.
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

// Stream is a workload, or several tasks, with its load.
type Stream struct {
	Name        string          `json:"name,omitempty"`     // in records and reports; in a plan of one stream it may be empty
	Set         string          `json:"data_set,omitempty"` // name of its data set; empty: its own
	Workload    string          `json:"workload,omitempty"` // name in the registry
	Params      json.RawMessage `json:"params,omitempty"`   // of the workload
	Tasks       Tasks           `json:"tasks,omitempty"`    // instead of one workload on one data set
	Clients     []uint64        `json:"clients,omitempty"`  // numbers of the clients that take part, from 0; empty: all
	Concurrency int             `json:"concurrency"`        // threads of each client; the maximum, if their number changes
	Threads     load.Shape      `json:"threads,omitzero"`   // closed loop: threads of each client over time, after the warm-up
	Duration    time.Duration   `json:"duration_ns,omitempty"`
	Ops         uint64          `json:"ops,omitempty"`         // turns of all clients together, perhaps of several requests each; 0: no limit
	Bytes       int64           `json:"bytes,omitempty"`       // transferred by successful operations of all clients together; 0: no limit
	Passes      float64         `json:"passes,omitempty"`      // through the data set; 0: no limit
	Warmup      time.Duration   `json:"warmup_ns,omitempty"`   // first: turns are recorded, but not in figures or limits
	Think       load.Think      `json:"think,omitzero"`        // of a closed loop
	Rate        float64         `json:"rate,omitempty"`        // turns per second of each client (open loop); 0: closed loop
	Schedule    load.Shape      `json:"schedule,omitzero"`     // instead of Rate: turns per second of all clients together
	Portion     *Portion        `json:"rate_of,omitempty"`     // instead of Rate: a share of an earlier phase's rate
	Arrivals    load.Arrivals   `json:"arrivals,omitempty"`    // of an open loop
	Timed       bool            `json:"timed,omitempty"`       // instead of Rate: due times come from the workload, see Timed
	MaxLate     time.Duration   `json:"max_late_ns,omitempty"` // of an open loop: maximum lateness of a turn to send; 0: no limit
	OK          []int           `json:"ok,omitempty"`          // statuses that are outcomes, reported separately, not errors
	Retry       *work.Retry     `json:"retry,omitempty"`       // of operations, unless tasks have their own; nil: one attempt each
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

// open reports whether the operations of the stream are due at given times.
func (s *Stream) open() bool {
	return s.Rate > 0 || !s.Schedule.IsZero() || s.Portion != nil || s.Timed
}

// rateFlag returns the flag that sets the rate.
func (s *Stream) rateFlag() string {
	if s.Rate > 0 && s.Portion == nil {
		return "--rps-limit"
	}
	return "--rate"
}

// Length returns the duration of the phase, including the warm-up; 0: no limit.
func (ph *Phase) Length() (d time.Duration) {
	for i := range ph.Steps {
		if ph.Steps[i].Wait == 0 {
			return 0
		}
		d = max(d, ph.Steps[i].Wait)
	}
	for _, s := range ph.Streams() {
		if s.Duration == 0 {
			return 0
		}
		d = max(d, s.Warmup+s.Duration)
	}
	return d
}

// openEndedPhase is the assumed duration of a phase without one.
const openEndedPhase = time.Hour

// PlannedLength returns the duration of the phases; an hour for a phase without an end.
func (p *Plan) PlannedLength() (d time.Duration) {
	for i := range p.Phases {
		ph := &p.Phases[i]
		length := ph.Length()
		if ph.Search != nil {
			length = ph.Search.Budget
		}
		d += min(cmp.Or(length, openEndedPhase), work.MaxDuration)
	}
	return min(d, work.MaxDuration)
}

// limited reports whether a number of turns ends the stream.
func (s *Stream) limited() bool { return s.Ops > 0 || s.Passes > 0 }

// Operations returns the planned number of operations of the phase; 0: no limit.
func (ph *Phase) Operations() (n uint64) {
	for _, s := range ph.Streams() {
		if s.Ops == 0 {
			return 0
		}
		n += s.Ops
	}
	return n
}

// Measured returns the duration of the phase after its warm-up; 0: no limit.
func (ph *Phase) Measured() time.Duration {
	measured := *ph
	if ph.Measures() {
		measured.Steps = nil
	}
	return max(0, measured.Length()-ph.LongestWarmup())
}

// LongestWarmup returns the duration of the longest warm-up.
func (ph *Phase) LongestWarmup() (d time.Duration) {
	for _, s := range ph.Streams() {
		d = max(d, s.Warmup)
	}
	return d
}

// title returns the names of the workloads of a stream.
func title(s *Stream) string {
	if len(s.Tasks) == 0 {
		return s.Workload
	}
	var names []string
	for i := range s.Tasks {
		if name := s.Tasks[i].Workload; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
