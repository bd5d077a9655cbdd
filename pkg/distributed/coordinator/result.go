package coordinator

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/runinfo"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Result is the result of a distributed run.
type Result struct {
	Snapshot    *aggregate.Snapshot    `json:"snapshot"` // of all clients that handed over, exactly
	Clients     []runinfo.ClientReport `json:"clients"`  // in the order of Options.Clients
	InResult    int                    `json:"in_result"`
	Operations  int64                  `json:"operations"` // in the merged recording
	Start       time.Time              `json:"start"`      // common to all clients
	Skew        time.Duration          `json:"skew_ns"`    // from the first client's first operation to the last client's
	Interrupted bool                   `json:"interrupted,omitempty"`
	Stable      bool                   `json:"stable,omitempty"`
	Warnings    []string               `json:"warnings,omitempty"`
	Notes       []string               `json:"notes,omitempty"`     // what workloads say of their run on each client
	Schedules   []bench.ScheduleStats  `json:"schedules,omitempty"` // of open loops, of all clients together
	Contents    []bench.ContentStats   `json:"contents,omitempty"`
	Replays     []trace.Replayed       `json:"replays,omitempty"`
	Searches    []search.Record        `json:"searches,omitempty"`   // of phases that look for the highest load
	Incomplete  string                 `json:"incomplete,omitempty"` // what the result lacks; empty: nothing
	Left        bool                   `json:"left,omitempty"`       // of clients that were lost, or could not remove all objects
}
