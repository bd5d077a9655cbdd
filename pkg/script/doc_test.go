package script_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"warp/pkg/script"
)

// TestDocumented: the scenario of the document is one.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	example, _, ok := strings.Cut(after, "```")
	if _, err := script.Parse("scenarios.md", []byte(example)); err != nil || !ok {
		t.Error(err)
	}
}

// TestKeysAreDocumented: the document names each key of the language, except for flags of targets and operations.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../../docs/reference/warp-scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type mapping struct{ Properties map[string]any }
	var language struct {
		mapping
		Defs map[string]struct {
			mapping
			AnyOf []mapping
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schema, &language); err != nil {
		t.Fatal(err)
	}
	all := []mapping{language.mapping}
	for name, def := range language.Defs {
		if name != "Target" && name != "Do" {
			all = append(append(all, def.mapping), def.AnyOf...)
		}
	}
	keys := 0
	for _, m := range all {
		for key := range m.Properties {
			if keys++; !regexp.MustCompile("[`{ ]" + regexp.QuoteMeta(key) + "[`:]").Match(text) {
				t.Errorf("docs/guide/scenarios.md does not name %q", key)
			}
		}
	}
	if keys < 60 {
		t.Errorf("the schema has only %d keys", keys)
	}
}
