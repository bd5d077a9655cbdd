package cli

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonHas checks a file that must be one JSON value and nothing else. A path goes through objects by name and arrays by
// number; the value at its end is compared with what stands behind "=", if anything, as it is printed in JSON without
// quotes. A negated check is that nothing is at the path.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, false, args, 2, "jsonhas FILE PATH[=VALUE]...")
	in := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	in.UseNumber()
	var doc any
	ts.Check(in.Decode(&doc))
	if _, err := in.Token(); err != io.EOF {
		ts.Fatalf("%s holds more than one JSON value", args[0])
	}
	for _, arg := range args[1:] {
		path, value, compare := strings.Cut(arg, "=")
		got, ok := at(doc, strings.Split(path, "."))
		if neg {
			if ok {
				ts.Fatalf("%s is in %s: %v", path, args[0], got)
			}
			continue
		}
		if !ok {
			ts.Fatalf("%s is not in %s", path, args[0])
		}
		b, err := json.Marshal(got)
		ts.Check(err)
		if text := strings.Trim(string(b), `"`); compare && text != value {
			ts.Fatalf("%s: %s is %s, want %s", args[0], path, text, value)
		}
	}
}

// at is what lies at a path of a JSON value.
func at(v any, path []string) (any, bool) {
	if len(path) == 0 {
		return v, true
	}
	switch v := v.(type) {
	case map[string]any:
		if next, ok := v[path[0]]; ok {
			return at(next, path[1:])
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(v) {
			return at(v[i], path[1:])
		}
	}
	return nil, false
}
