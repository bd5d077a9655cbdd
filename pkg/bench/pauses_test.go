package bench_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// Statistics know the pauses of each stream, from the plan or from the recording that states it.
func TestPauses(t *testing.T) {
	store := open(t, newBucket())
	plan := job{workload: "stat", change: func(p *bench.Plan) {
		ph := p.Phases[0]
		p.Phases = nil
		for name, think := range map[string]load.Think{"busy": {}, "slow": {Mean: time.Second}, "random": {Mean: 20 * time.Millisecond, Random: true}} {
			ph.Name, ph.Think = name, think
			p.Phases = append(p.Phases, ph)
		}
	}}.plan(t, store)
	want := map[string]time.Duration{"slow": time.Second, "random": 240 * time.Millisecond}
	if got := bench.Pauses(plan); !maps.Equal(got, want) {
		t.Errorf("pauses %v, want %v", got, want)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]json.RawMessage{"plan": text})
	if err != nil {
		t.Fatal(err)
	}
	if got := runinfo.WithPlans(aggregate.Options{}, recording.Header{Config: config}).Pauses; !maps.Equal(got, want) {
		t.Errorf("of a recording: %v, want %v", got, want)
	}
}
