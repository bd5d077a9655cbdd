package runinfo

import (
	"encoding/json"

	"warp/pkg/recording"
	"warp/pkg/search"
)

// SweepOf returns the sweep that recordings are of; nil: of none.
func SweepOf(headers ...recording.Header) *search.Sweep {
	for _, h := range headers {
		var head Head
		if json.Unmarshal(h.Config, &head) == nil && head.Sweep != nil && head.Sweep.Valid() {
			return head.Sweep
		}
	}
	return nil
}
