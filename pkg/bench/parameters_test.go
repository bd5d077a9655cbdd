package bench_test

import (
	"encoding/json"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	_ "warp/pkg/bench/workload"
)

// TestWithoutObjects: no workload uploads objects whose data set others fill.
func TestWithoutObjects(t *testing.T) {
	for _, info := range work.Registry() {
		params, err := bench.WithoutObjects(info.Name, json.RawMessage(`{"objects":7}`))
		if err != nil {
			t.Fatal(err)
		}
		var p struct{ Objects uint64 }
		if err := json.Unmarshal(params, &p); err != nil || p.Objects != 0 {
			t.Errorf("%s: %d objects: %v", info.Name, p.Objects, err)
		}
	}
}
