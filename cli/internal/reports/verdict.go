package reports

import "warp/pkg/bench"

// Verdict is what "warp verify --json" prints of a recording: whether the objects of its run are as they were uploaded.
type Verdict struct {
	Recording string  `json:"recording"`
	Seconds   float64 `json:"duration_s"`
	bench.Verified
	Problems []bench.Problem `json:"problems"`
}
