package metrics

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDocumentedMetrics: docs/reference/metrics.md has a row for each metric, and for no other.
func TestDocumentedMetrics(t *testing.T) {
	code, codeErr := os.ReadFile("collector.go")
	page, pageErr := os.ReadFile("../../docs/reference/metrics.md")
	if codeErr != nil || pageErr != nil {
		t.Fatal(codeErr, pageErr)
	}
	names := func(pattern string, text []byte) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
			list = append(list, string(m[1]))
		}
		slices.Sort(list)
		return list
	}
	have, rows := names(`NewDesc\(\s*"(\w+)"`, code), names("(?m)^\\| `(warp_\\w+)` \\|", page)
	if len(have) < 20 || !slices.Equal(have, rows) {
		t.Errorf("metrics are\n%q\ndocs/reference/metrics.md has\n%q", have, rows)
	}
}
