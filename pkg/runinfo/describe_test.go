package runinfo

import (
	"encoding/json"
	"slices"
	"testing"

	"warp/pkg/aggregate"
	"warp/pkg/recording"
)

func TestDescribe(t *testing.T) {
	plan := func(concurrency, prefix, host string) json.RawMessage {
		return json.RawMessage(`{"command": "get", "engine": "std", "plan": {"data": {"prefix": "` + prefix + `"}, "target": {"hosts": ["` + host +
			`"]}, "phases": [{"workload": "get", "concurrency": ` + concurrency + `}]}}`)
	}
	many := json.RawMessage(`{"plan": {"phases": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "concurrency": 2, "workload": "get"}]}}`)
	inputs := []recording.Input{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for _, c := range []struct {
		name     string
		configs  []json.RawMessage
		engine   string
		warnings []string
	}{
		{"nothing is known", []json.RawMessage{nil, nil}, "", nil},
		{"not in JSON", []json.RawMessage{json.RawMessage("x"), json.RawMessage("[1]")}, "", nil},
		{"alike", []json.RawMessage{plan("2", "p", "h"), plan("2", "q", "i")}, "std", nil},
		{"one is not known", []json.RawMessage{plan("2", "p", "h"), nil}, "std", nil},
		{
			"different",
			[]json.RawMessage{plan("2", "p", "h"), plan("2", "p", "h"), plan("3", "p", "h")},
			"std",
			[]string{"c was run with other parameters than a: --concurrent: 3 instead of 2"},
		},
		{
			"merged",
			[]json.RawMessage{json.RawMessage(`{"merged": [{"name": "x", "config": ` + string(plan("2", "p", "h")) +
				`}, {"name": "y", "config": ` + string(plan("5", "p", "h")) + `}, {"name": "z"}]}`)},
			"std",
			[]string{"y was run with other parameters than x: --concurrent: 5 instead of 2"},
		},
		{"merged, but too long to tell of what", []json.RawMessage{json.RawMessage(`{"merged": 100}`)}, "", nil},
		{
			"all is different",
			[]json.RawMessage{plan("2", "p", "h"), many},
			"std",
			[]string{"b was run with other parameters than a: --a: 1 instead of nothing, --b: 2 instead of nothing, --c: 3 instead of nothing, --d: 4 instead of nothing, and 1 more"},
		},
	} {
		about := &aggregate.Inputs{}
		for _, config := range c.configs {
			about.Headers = append(about.Headers, recording.Header{Config: config})
		}
		d := Describe(inputs, about, &aggregate.Snapshot{})
		if !slices.Equal(d.Warnings, c.warnings) || d.Head.Engine != c.engine {
			t.Errorf("%s: engine %q, warnings %q", c.name, d.Head.Engine, d.Warnings)
		}
	}
	Describe(nil, &aggregate.Inputs{}, &aggregate.Snapshot{}) // of nothing
}
