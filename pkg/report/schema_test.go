package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"warp/internal/testkit/schema"
	"warp/pkg/bench/work"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/trace"
)

// traceJSON returns what is written of a trace.
func traceJSON(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	s := &trace.Summary{}
	if err := report.TraceJSON(&out, s, "devel"); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// seriesLines returns the lines of a time series by host, by their numbers.
func seriesLines(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/two-hosts.hosts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]byte{}
	for line := range bytes.Lines(text) {
		lines[fmt.Sprint("line ", len(lines)+1)] = line
	}
	return lines
}

// TestPublishedSchemas checks the schemas of docs against the structs that JSON is written from, and all golden files against them.
func TestPublishedSchemas(t *testing.T) {
	doc, err := os.ReadFile("../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split("\n"+string(doc), "\n# The JSON ")
	golden, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []struct {
		name, title, begins string
		has                 func(name string) bool
		any                 map[string]reflect.Type
	}{
		{"report", "Report of warp (--json)", "report", func(name string) bool {
			for _, prefix := range []string{"cmp-", "doctor", "trace"} {
				if strings.HasPrefix(name, prefix) {
					return false
				}
			}
			return !strings.Contains(name, "hsbench")
		}, map[string]reflect.Type{
			"environment": reflect.TypeFor[runinfo.Machine](), "client": reflect.TypeFor[runinfo.SelfStats](), "connections": reflect.TypeFor[work.Connections](),
		}},
		{"comparison", "Comparison of warp (cmp --json)", "of a comparison", func(name string) bool { return strings.HasPrefix(name, "cmp-") }, nil},
		{"doctor", "Examination of warp (doctor --json)", "of warp doctor", func(name string) bool { return strings.HasPrefix(name, "doctor") }, nil},
		{"trace", "Trace of warp (trace --json)", "of warp trace", func(name string) bool { return strings.HasPrefix(name, "trace") }, nil},
		{"series", "Row of a time series of warp (--analyze.out=FILE.jsonl)", "rows of a time series", func(string) bool { return false }, nil},
	} {
		if !strings.HasPrefix(parts[i+1], s.begins) {
			t.Fatalf("part %d of docs/reference/json.md begins with %.40q, want %q", i+1, parts[i+1], s.begins)
		}
		documents := map[string][]byte{}
		for _, name := range golden {
			if !s.has(filepath.Base(name)) {
				continue
			}
			if documents[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		switch s.name {
		case "trace":
			documents["of a few lines"] = traceJSON(t)
		case "series":
			documents = seriesLines(t)
		}
		of := schema.Schema{
			Title:    s.title,
			Type:     report.Written[s.name],
			Any:      s.any,
			Doc:      parts[i+1],
			Packages: map[string]string{"finding": "doctor", "work": "bench"},
		}
		of.Published(t, "../../docs/reference/schema/"+s.name+".schema.json", documents)
	}
}
