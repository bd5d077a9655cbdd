package trace

import (
	"time"

	"warp/pkg/op"
)

// Selection is a part of a trace. The zero value selects all of it.
type Selection struct {
	Kinds        []op.Kind     `json:"kinds,omitempty"`            // empty: all
	Buckets      []string      `json:"buckets,omitempty"`          // empty: all
	From         time.Duration `json:"from_ns,omitempty"`          // since the begin of the trace
	To           time.Duration `json:"to_ns,omitempty"`            // 0: the end
	Share        float64       `json:"share,omitempty"`            // of the objects, with all of their operations; 0: all
	Part         int           `json:"part,omitempty"`             // from 1: which of Parts parts of the objects, in the times of all of them
	Parts        int           `json:"parts,omitempty"`            // into which objects are divided; 0: they are not
	SkipMissing  bool          `json:"skip_missing,omitempty"`     // leave out reads of what nothing selected has written
	CompressIdle time.Duration `json:"compress_idle_ns,omitempty"` // no pause is longer; 0: as they are
	Names        Names         `json:"names,omitempty"`            // what the compact form holds of names
}
