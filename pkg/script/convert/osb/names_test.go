package osb

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"warp/pkg/generator"
	"warp/pkg/script/convert/draft"
)

// TestNames: objects have the names that the tool gives them.
// works: object-store-bench: `USING NAMING STRATEGY ... WITH SEED` gives the names of the tool
func TestNames(t *testing.T) {
	text, err := os.ReadFile("testdata/names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		i, err := strconv.ParseUint(f[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		statement := fmt.Sprintf("REUSE 2000000 OBJECTS IN CONTEXT %q USING NAMING STRATEGY %s WITH SEED %q; GET 1 OBJECT IN CONTEXT %[1]q", f[1], f[0], f[2])
		job, err := Source.Convert("names.osb", statement, draft.Given{})
		if err != nil {
			t.Fatal(err)
		}
		set, ok := job.File.Data.Lookup(f[1])
		if !ok {
			t.Fatalf("no data set %q", f[1])
		}
		keys := generator.NewKeys(generator.Spec{Keys: set.Keys.Text}, 1, 1)
		if got := keys.Key(i); got != f[4] {
			t.Errorf("%s: object %d is %q, want %q", f[0], i, got, f[4])
		}
		if got, ok := keys.Index(f[4]); !ok || got != i {
			t.Errorf("%q is object %d, %t; want %d", f[4], got, ok, i)
		}
		if naming := Naming(set.Keys.Text); naming != f[0] || Seed(naming, f[4]) != f[2] {
			t.Errorf("%q: strategy %q, seed %q", f[4], naming, Seed(naming, f[4]))
		}
		n++
	}
	if n < 10 {
		t.Errorf("only %d names", n)
	}
}
