package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"warp/pkg/compare"
)

// jsonKeys collects the keys that t can produce.
func jsonKeys(t reflect.Type, keys map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		jsonKeys(t.Elem(), keys)
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			if !f.Anonymous { // the fields of an embedded type stand among the others
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				keys[name] = true
			}
			jsonKeys(f.Type, keys)
		}
	}
}

// comparisonHeading divides docs/reference/json.md: the report of runs, then that of comparisons.
const comparisonHeading = "\n# The JSON of a comparison\n"

// doctorHeading ends that of comparisons.
const doctorHeading = "\n# The JSON of warp doctor\n"

// traceHeading ends that of examinations.
const traceHeading = "\n# The JSON of warp trace\n"

// rowsHeading ends that of traces.
const rowsHeading = "\n# The JSON rows of a time series\n"

func TestEveryJSONKeyIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	run, comparison, found := strings.Cut(string(doc), comparisonHeading)
	if !found {
		t.Fatalf("docs/reference/json.md has no heading %q", comparisonHeading)
	}
	comparison, examination, found := strings.Cut(comparison, doctorHeading)
	if !found {
		t.Fatalf("docs/reference/json.md has no heading %q", doctorHeading)
	}
	examination, description, found := strings.Cut(examination, traceHeading)
	if !found {
		t.Fatalf("docs/reference/json.md has no heading %q", traceHeading)
	}
	description, _, found = strings.Cut(description, rowsHeading)
	if !found {
		t.Fatalf("docs/reference/json.md has no heading %q", rowsHeading)
	}
	for _, tt := range []struct {
		name, doc string
		schema    reflect.Type
		keys      []string // some that it must have, or keys are not collected right
	}{
		{"run", run, reflect.TypeFor[documentJSON](), []string{"p99_9", "loose_window"}},
		{"examination", examination, reflect.TypeFor[doctorJSON](), []string{"ok", "ip", "expires", "delayed_ack"}},
		{"trace", description, reflect.TypeFor[traceJSON](), []string{"records", "begin", "top_1_percent", "interval_ns"}},
		{"comparison", comparison, reflect.TypeFor[comparisonJSON](), []string{"warp_version", "runs_before", "op", "low"}},
	} {
		keys := map[string]bool{}
		jsonKeys(tt.schema, keys)
		for _, key := range append(tt.keys, "") {
			if keys[key] != (key != "") {
				t.Fatalf("%s: keys are not collected right: %v", tt.name, keys)
			}
		}
		for key := range keys {
			if !strings.Contains(tt.doc, "`"+key+"`") {
				t.Errorf("docs/reference/json.md does not describe %q of a %s", key, tt.name)
			}
		}
		for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(tt.doc, -1) {
			if !keys[row[1]] {
				t.Errorf("docs/reference/json.md describes %q of a %s, which is never written", row[1], tt.name)
			}
		}
	}
}

// TestMetricsAreDocumented checks that the names of metrics, which are values and not keys, are described.
func TestMetricsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, comparison, _ := strings.Cut(string(doc), comparisonHeading)
	for _, m := range compare.Metrics() {
		if !strings.Contains(comparison, "`"+m.Name+"`") {
			t.Errorf("docs/reference/json.md does not describe the metric %q", m.Name)
		}
	}
}

// TestJSONFollowsSchema checks the other half: what is really written has no keys besides the schema's.
func TestJSONFollowsSchema(t *testing.T) {
	for name, s := range fixtures() {
		var out bytes.Buffer
		if err := JSON(&out, document(s)); err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(&out)
		dec.DisallowUnknownFields()
		var back documentJSON
		if err := dec.Decode(&back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestComparisonJSONFollowsSchema(t *testing.T) {
	for name, c := range comparisons() {
		var out bytes.Buffer
		if err := ComparisonJSON(&out, ComparisonDocument{Comparison: c}); err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(&out)
		dec.DisallowUnknownFields()
		back := comparisonJSON{Comparison: new(compare.Comparison)}
		if err := dec.Decode(&back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
