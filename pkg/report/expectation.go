package report

import "warp/pkg/gate"

// Expectation is a rule that a stream had to meet, and its verdict.
type Expectation struct {
	Stream  string       `json:"stream,omitempty"` // empty in a run of one stream
	Rule    string       `json:"rule"`
	Met     bool         `json:"met"`
	Verdict gate.Verdict `json:"verdict"`
	Found   string       `json:"found"` // the figures, or why there are none
}
