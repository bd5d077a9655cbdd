package reports

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"warp/internal/testkit/schema"
	"warp/pkg/bench"
)

// TestSchemaOfVerify checks the schema of what "warp verify --json" prints.
func TestSchemaOfVerify(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(doc), "\n# The JSON of warp verify\n")
	if !ok {
		t.Fatal("docs/reference/json.md has no part about warp verify")
	}
	type verdict Verdict // its published name
	text, err := json.Marshal([]verdict{{
		Recording: "run.csv.zst", Seconds: 1.5, Verified: bench.Verified{Total: 2, Objects: 2, Missing: 1, Rewritten: 1, Complete: true},
		Problems: []bench.Problem{{Kind: bench.ProblemMissing, Key: "k", Detail: "404"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	none, err := json.Marshal([]verdict{})
	if err != nil {
		t.Fatal(err)
	}
	schema.Schema{
		Title:    "Verdicts of warp verify --json",
		Type:     reflect.TypeFor[[]verdict](),
		Doc:      part,
		Packages: map[string]string{"reports": "cli"},
	}.
		Published(t, "../../../docs/reference/schema/verify.schema.json", map[string][]byte{"one": text, "none": none})
}
