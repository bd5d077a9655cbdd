package runinfo

import (
	"encoding/json"
	"slices"

	"warp/pkg/recording"
	"warp/pkg/search"
)

// ValidSweeps returns the sweeps whose points are phases. Recordings of others are not to be trusted.
func (h *Header) ValidSweeps() []search.Sweep {
	return slices.DeleteFunc(slices.Clone(h.Sweeps), func(s search.Sweep) bool { return !s.Valid() })
}

// HasSweep reports whether recordings are of a sweep.
func HasSweep(headers ...recording.Header) bool {
	return slices.ContainsFunc(headers, func(h recording.Header) bool {
		var head Header
		return json.Unmarshal(h.Config, &head) == nil && len(head.ValidSweeps()) > 0
	})
}
