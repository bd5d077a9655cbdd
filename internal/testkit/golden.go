// Package testkit is what the tests of several packages need. Nothing but tests imports it.
package testkit

import (
	"flag"
	"os"
	"testing"
)

// Update reports whether what tests compare with shall be written anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden compares got with the file at path.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to make it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update and look at the difference); got:\n%s", path, got)
	}
}
