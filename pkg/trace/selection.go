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
	Part         int           `json:"part,omitempty"`             // number of the part of the objects, from 1; times stay as in the whole
	Parts        int           `json:"parts,omitempty"`            // number of parts into which objects are divided; 0: they are not
	SkipMissing  bool          `json:"skip_missing,omitempty"`     // leave out reads of objects that no selected operation has written
	CompressIdle time.Duration `json:"compress_idle_ns,omitempty"` // pauses are shortened to this length; 0: they are not
	Names        Names         `json:"names,omitempty"`            // in the compact form
}
