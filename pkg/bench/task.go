package bench

import (
	"encoding/json"

	"warp/pkg/bench/work"
)

// Task is one of several workloads of a stream, which take turns in proportion to their weights. Each has its own order of access, by the
// number of its turns.
type Task struct {
	Name     string          `json:"name,omitempty"`     // label of its kinds, as in GET:RANGES; empty: only if another task has the same kind
	Weight   float64         `json:"weight,omitempty"`   // 0: 1
	Set      string          `json:"data_set,omitempty"` // name of its data set; empty: its own
	Workload string          `json:"workload"`           // name in the registry
	Params   json.RawMessage `json:"params,omitempty"`   // of the workload
	OK       []int           `json:"ok,omitempty"`       // statuses that are outcomes, in addition to the stream's
	Retry    *work.Retry     `json:"retry,omitempty"`    // of its operations; nil: one attempt each

	// A task without turns of its own follows each successful operation of another task, in the same turn.
	After int  `json:"after,omitempty"` // number of the other task, from 1; 0: it has turns of its own
	Same  bool `json:"same,omitempty"`  // with the object of that operation
	Count int  `json:"count,omitempty"` // number of times; 0: once
}

// Tasks is the tasks of a stream.
type Tasks []Task

// weights returns the weights of tasks; a stream without tasks is one.
func (t Tasks) weights() (list []work.Share) {
	for i := range max(1, len(t)) {
		weight := 1.0
		if i < len(t) && t[i].Weight != 0 {
			weight = t[i].Weight
		}
		list = append(list, work.Share(weight))
	}
	return list
}

// own returns the tasks with turns of their own; the others follow them.
func (t Tasks) own() Tasks {
	for k := range t {
		if t[k].After > 0 {
			return t[:k]
		}
	}
	return t
}
