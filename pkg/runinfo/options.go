package runinfo

import (
	"encoding/json"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/recording"
)

// WithPlans returns options with what the plans of recordings say about their statistics; see bench.AllTime, bench.Pauses and bench.Order.
func WithPlans(opts aggregate.Options, headers ...recording.Header) aggregate.Options {
	opts.AllTime, opts.Pauses, opts.Order = nil, map[string]time.Duration{}, nil
	for _, run := range RunsOf(make([]recording.Input, len(headers)), headers) {
		var plan bench.Plan
		if json.Unmarshal(run.Plan, &plan) != nil {
			continue // of MinIO warp, or of a later version
		}
		for _, name := range bench.AllTime(&plan) {
			if !slices.Contains(opts.AllTime, name) {
				opts.AllTime = append(opts.AllTime, name)
			}
		}
		for name, pause := range bench.Pauses(&plan) {
			opts.Pauses[name] = max(opts.Pauses[name], pause)
		}
		opts.Order = append(opts.Order, bench.Order(&plan)...)
	}
	return opts
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
