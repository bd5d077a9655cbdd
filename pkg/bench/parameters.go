package bench

import (
	"encoding/json"

	"warp/pkg/bench/work"
)

// WithoutObjects returns the parameters of a workload without prepared objects, since others fill its data set.
func WithoutObjects(workload string, params json.RawMessage) (json.RawMessage, error) {
	return changed(workload, params, func(w work.Workload) {
		if p, ok := w.(interface{ PrepareNone() }); ok {
			p.PrepareNone()
		}
	})
}

// Overwriting returns the parameters of an upload that overwrites objects of others in its data set.
func Overwriting(workload string, params json.RawMessage) (json.RawMessage, error) {
	return changed(workload, params, func(w work.Workload) {
		if o, ok := w.(interface{ OverwriteOthers() }); ok {
			o.OverwriteOthers()
		}
	})
}

// changed returns the parameters of a workload after a change.
func changed(workload string, params json.RawMessage, change func(work.Workload)) (json.RawMessage, error) {
	w, err := work.Decode(workload, params)
	if err != nil {
		return nil, err
	}
	change(w)
	return json.Marshal(w)
}

// WorkloadOf returns the workload of a stream, and whether it leaves its objects unchanged. The stream must be valid.
func WorkloadOf(s *Stream) (w work.Workload, reads bool) {
	w, err := work.Decode(s.Workload, s.Params)
	if err != nil {
		return nil, false
	}
	return w, w.Traits().Effect == work.Reads
}
