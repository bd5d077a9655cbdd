package runinfo

import (
	"encoding/json"
	"slices"

	"warp/pkg/bench"
	"warp/pkg/recording"
)

// AllTime returns the phases whose active windows are all of their time; see bench.AllTime. It is for aggregate.Options.
func AllTime(headers ...recording.Header) (phases []string) {
	for _, run := range RunsOf(make([]recording.Input, len(headers)), headers) {
		var plan bench.Plan
		if json.Unmarshal(run.Plan, &plan) != nil {
			continue // of MinIO warp, or of a later version
		}
		for _, name := range bench.AllTime(&plan) {
			if !slices.Contains(phases, name) {
				phases = append(phases, name)
			}
		}
	}
	return phases
}

// headersOf returns the headers of recordings; those that cannot be read have none.
func headersOf(inputs []recording.Input) (list []recording.Header) {
	for _, in := range inputs {
		r, err := in.Reader()
		if err != nil {
			continue
		}
		list = append(list, r.Header())
		_ = r.Close()
	}
	return list
}
