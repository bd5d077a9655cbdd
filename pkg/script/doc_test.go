package script_test

import (
	"os"
	"strings"
	"testing"

	"warp/pkg/script"
)

// TestDocumented: the scenario of the document is one.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	example, _, ok := strings.Cut(after, "```")
	if _, err := script.Parse("scenarios.md", []byte(example)); err != nil || !ok {
		t.Error(err)
	}
}
