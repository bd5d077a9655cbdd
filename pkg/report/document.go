package report

import (
	"encoding/json"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Version is the version of the JSON written by JSON. It is incremented when a field changes its meaning or is removed;
// added fields leave it unchanged.
const Version = 1

// Document is the input of JSON: a run and what was measured.
type Document struct {
	WarpVersion string
	Command     string              // "get", "mixed", "analyze", ...
	Plan        json.RawMessage     // what was run, without secrets; empty if unknown
	Environment any                 // where it was run; nil if unknown
	Client      any                 // resource usage of the client; nil if unknown
	Connections any                 // connections and redirects; nil if unknown
	Clients     []any               // each of several clients; nil for one, or if unknown
	Engine      string              // what sent the requests; empty if unknown
	Store       Store               // that was measured
	Embedded    bool                // the store was the server that is embedded in warp
	Warnings    []string            // of the run, in addition to the snapshot's
	Limits      []observe.Limit     // how clients were the bottleneck
	Notes       []string            // what workloads say of their run
	Expected    []Expectation       // rules that streams had to meet
	Rulings     []Ruling            // on all rules, including Expected
	Schedules   []Schedule          // how the schedules of open loops were kept
	Contents    []Contents          // of what was uploaded
	Replays     []trace.Replayed    // what replays of traces did
	Marks       []Mark              // moments that a person marked
	Searches    []search.Record     // of phases that looked for the highest load
	Baseline    int                 // version of the baseline that was measured; 0: none
	Sweeps      []search.Sweep      // their points are phases
	LoadCurves  []*LoadCurve        // of loads that change over time
	Incomplete  []string            // why the run or its recording is incomplete; empty if complete
	Snapshot    *aggregate.Snapshot // may be nil
}

// Store is the store that was measured, unless it is S3 or not known.
type Store struct {
	Dialect string `json:"dialect"`
	Name    string `json:"name"`
	API     string `json:"api,omitempty"`
	Version string `json:"api_version,omitempty"`
	Auth    string `json:"auth,omitempty"`
}

// Schedule is how the schedule of an open loop was kept, in JSON.
type Schedule struct {
	Stream   string  `json:"stream,omitempty"`
	Duration float64 `json:"duration_s"`
	Planned  float64 `json:"planned_per_sec"`
	Achieved float64 `json:"achieved_per_sec"`
	Due      uint64  `json:"due"`
	Sent     uint64  `json:"sent"`
	Late     uint64  `json:"late"`
	Unsent   uint64  `json:"unsent"`

	UnsentOwn uint64   `json:"unsent_own"`
	Own       Lateness `json:"own_late"`
	Busy      Lateness `json:"busy_late"`
	Most      int      `json:"most_at_a_time"`
}

// Lateness is how late turns of an open loop started for one reason, in JSON.
type Lateness struct {
	Turns   uint64  `json:"turns"`
	Average float64 `json:"avg_ms"`
	Most    float64 `json:"max_ms"`
}

// Mark is a moment that a person marked, in JSON.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Contents describes the compressibility and the repetition of the contents of a data set, in JSON.
type Contents struct {
	Set            string  `json:"data_set,omitempty"`
	ZstdRatio      float64 `json:"zstd_ratio"`
	DuplicateShare float64 `json:"duplicate_share"`
	DuplicateBlock int64   `json:"duplicate_block_bytes"`
	Bytes          int64   `json:"examined_bytes"`
	Objects        uint64  `json:"examined_objects"`
	Uploaded       uint64  `json:"uploaded_objects"`
}
