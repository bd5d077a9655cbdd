package bench

import (
	"encoding/json"

	"warp/pkg/bench/work"
)

// Task is one of several workloads of a stream, which take turns in proportion to their weights. Each has its own
// order of access, by the number of its turns.
type Task struct {
	Name     string          `json:"name,omitempty"`     // label of its kinds of operations, as in GET:RANGES; empty: none, unless another task has the same kind
	Weight   float64         `json:"weight,omitempty"`   // 0: 1
	Set      string          `json:"data_set,omitempty"` // name of its data set; empty: one of its own
	Workload string          `json:"workload"`           // name in the registry
	Params   json.RawMessage `json:"params,omitempty"`   // of the workload
	OK       []int           `json:"ok,omitempty"`       // statuses that are outcomes, beside those of the stream
	Retry    *work.Retry     `json:"retry,omitempty"`    // of its operations; nil: each has one attempt

	// A task may have no turns of its own: it follows each successful operation of another one, in the same turn.
	After int  `json:"after,omitempty"` // number of that task, from 1; 0: none
	Same  bool `json:"same,omitempty"`  // with the object of that operation
	Count int  `json:"count,omitempty"` // so many times; 0: once
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

// own returns the tasks that have turns of their own; the others follow these.
func (t Tasks) own() Tasks {
	for k := range t {
		if t[k].After > 0 {
			return t[:k]
		}
	}
	return t
}
