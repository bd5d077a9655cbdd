package compare

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestDiffParams(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                []Difference
	}{
		{"none", "", "", nil},
		{"null", "null", " ", nil},
		{"same", `{"a": 1, "b": [1, {"c": null}]}`, `{"b": [1, {}], "a": 1}`, nil},
		{"change", `{"phases": [{"concurrency": 20}]}`, `{"phases": [{"concurrency": 40}]}`, []Difference{{Path: "phases.0.concurrency", Before: "20", After: "40"}}},
		{"one side", `{"rate": 5}`, `{"keep_data": true}`, []Difference{{Path: "keep_data", After: "true"}, {Path: "rate", Before: "5"}}},
		{"large seed", `{"seed": 9007199254740993}`, `{"seed": 9007199254740992}`, []Difference{{Path: "seed", Before: "9007199254740993", After: "9007199254740992", Minor: true}}},
		{"nested minor", `{"target": {"Prefix": "a"}}`, `{"target": {"Prefix": "b"}}`, []Difference{{Path: "target.Prefix", Before: "a", After: "b", Minor: true}}},
		{"order", `{"p": [0,0,1,0,0,0,0,0,0,0,1]}`, `{"p": [0,0,2,0,0,0,0,0,0,0,2]}`, []Difference{{Path: "p.2", Before: "1", After: "2"}, {Path: "p.10", Before: "1", After: "2"}}},
		{"shape", `{"a": {"b": 1}}`, `{"a": 1}`, []Difference{{Path: "a", After: "1"}, {Path: "a.b", Before: "1"}}},
		{"plan on one side", ``, `{"seed": 1}`, []Difference{{Path: "seed", After: "1", Minor: true}}},
	} {
		got, err := DiffParams(json.RawMessage(tt.before), json.RawMessage(tt.after))
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v (%v), want %+v", tt.name, got, err, tt.want)
		}
	}
	for _, bad := range []string{`{"a":`, `{"a": 1} x`, `}`} {
		if _, err := DiffParams(json.RawMessage(bad), nil); err == nil {
			t.Errorf("before: %s is accepted", bad)
		}
		if _, err := DiffParams(nil, json.RawMessage(bad)); err == nil {
			t.Errorf("after: %s is accepted", bad)
		}
	}
}
