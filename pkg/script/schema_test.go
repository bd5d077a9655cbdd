package script_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"warp/pkg/bench/work"
	"warp/pkg/script"
)

// TestSchema: the schema takes what Parse takes, and knows all operations.
func TestSchema(t *testing.T) {
	text, err := script.Schema(func(operation string) script.Described { return newCommand(operation) })
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		`{"warp": 1, "phases": [{"run": "a", "do": [{"get": "pool", "ranges": ["0-9"]}, "head-bucket"], "load": 4, "until": {"ops": "10k"}}]}`: true,
		`{"warp": 1, "target": {"hosts": "a:1", "checksum": "CRC32C"}, "phases": [[{"wait": "1s"}, {"verify": "pool"}]]}`:                      true,
		`{"warp": 1, "data": {"pool": {"size": {"uniform": ["1KiB", "2KiB"]}}}, "phases": []}`:                                                 true,
		`{"warp": 1, "phases": [{"run": "a", "do": [{"replay": "a.log", "speed": "2x", "keys": "hash-dirs"}]}]}`:                               true,
		`{"warp": 1, "target": {"access-key": "x"}, "phases": []}`:                                                                             false,
		`{"warp": 1, "phases": [{"run": "a", "do": [{"gte": "pool"}]}]}`:                                                                       false,
		`{"warp": 1, "phases": [{"wait": "1s", "lod": 3}]}`:                                                                                    false,
		`{"warp": 1}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); (err == nil) != valid {
			t.Errorf("%s: valid %v, want %v: %v", text, err == nil, valid, err)
		}
	}
	for _, info := range work.Registry() {
		if !bytes.Contains(text, []byte(`"`+info.Name+`": {`)) {
			t.Errorf("no %s in the schema", info.Name)
		}
	}
}
