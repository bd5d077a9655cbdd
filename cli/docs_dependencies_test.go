package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryDependencyIsDocumented compares the direct dependencies in go.mod with the rows of docs/dependencies.md.
func TestEveryDependencyIsDocumented(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var direct, rows []string
	for _, m := range regexp.MustCompile(`(?m)^\s+(\S+) v\S+$`).FindAllStringSubmatch(string(module), -1) { // no "// indirect"
		direct = append(direct, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		rows = append(rows, m[1])
	}
	if len(direct) < 10 {
		t.Fatalf("go.mod has only these direct dependencies: %q", direct)
	}
	for _, d := range direct {
		if !slices.Contains(rows, d) {
			t.Errorf("docs/dependencies.md has no row for %s", d)
		}
	}
	for _, r := range rows {
		if strings.Contains(r, "/") && !slices.Contains(direct, r) {
			t.Errorf("docs/dependencies.md has a row for %s, which go.mod does not name as a direct dependency", r)
		}
	}
}
