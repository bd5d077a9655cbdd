package bench

import (
	"fmt"
)

// Portion is a rate that follows from an earlier phase of the run: a share of the turns per second that a stream achieved, or that a search
// held. Each client takes this share of its own rate.
type Portion struct {
	Share float64 `json:"share"`            // above 0; 1: all of it
	Of    string  `json:"stream,omitempty"` // name; empty: in the last phase before that measured
}

// maxShare is the largest share of a measured rate.
const maxShare = 100

// String returns the portion as in scenarios.
func (p *Portion) String() string {
	text := fmt.Sprintf("%g%%", p.Share*100)
	if p.Of != "" {
		text += " of " + p.Of
	}
	return text
}
