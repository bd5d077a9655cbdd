package runinfo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/pkg/compare"
)

// planOf returns a run with a plan of these parts.
func planOf(name, workload, phase, data string) Run {
	plan := fmt.Sprintf(`{"seed":1,"target":{"hosts":["a:1","b:1"],"bucket":"x"},"data":{"sizes":%s},"phases":[{"workload":"%s",%s}]}`,
		data, workload, phase)
	return NewRun(name, json.RawMessage(`{"version":"1","plan":`+plan+`}`), "")
}

// TestDifferencesNameFlags: people compare flags, not parts of plans.
func TestDifferencesNameFlags(t *testing.T) {
	get := planOf("a", "get", `"params":{"objects":10,"part_size":0},"concurrency":4,"duration_ns":10000000000`, `{"max":262144}`)
	for _, c := range []struct {
		name  string
		after Run
		want  []string
	}{
		{"the same", get, nil},
		{
			"size and load", planOf("b", "get", `"params":{"objects":20,"part_size":5242880},"concurrency":4,"duration_ns":20000000000`, `{"max":65536}`),
			[]string{"--obj.size: 256KiB -> 64KiB", "--duration: 10s -> 20s", "--objects: 10 -> 20", "--part.size: 0B -> 5MiB"},
		},
		{
			"random sizes", planOf("b", "get", `"params":{"objects":10,"part_size":0},"concurrency":4,"duration_ns":10000000000`, `{"min":1024,"max":65536,"random":true}`),
			[]string{"--obj.size: 256KiB -> random, 1KiB to 64KiB"},
		},
		{
			"another benchmark: its parameters say nothing", planOf("b", "mixed", `"params":{"objs_per":10,"get_distrib":45},"concurrency":5,"duration_ns":10000000000`, `{"max":262144}`),
			[]string{"--concurrent: 4 -> 5"},
		},
	} {
		list, known := Differences(get, c.after)
		var got []string
		for _, d := range compare.Joined(list) {
			got = append(got, d.Name+": "+d.Was+" -> "+d.Is)
		}
		if !known || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, "; "), strings.Join(c.want, "; "))
		}
		b, a, unlike := Unlike(get, c.after)
		if unlike != strings.HasPrefix(c.name, "another") || unlike && (b != "get" || a != "mixed") {
			t.Errorf("%s: %s and %s are unlike: %v", c.name, b, a, unlike)
		}
	}
}
