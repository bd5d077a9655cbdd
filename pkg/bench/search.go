package bench

import (
	"warp/pkg/load"
	"warp/pkg/search"
)

// Search makes a phase look for the highest load that meets objectives: its stream is measured in trials, each at a load of its own.
type Search struct {
	search.Config
	Arrivals load.Arrivals        `json:"arrivals,omitempty"`
	Done     []search.Observation `json:"done,omitempty"` // trials of an earlier run to continue from
}
