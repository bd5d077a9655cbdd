package cli

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain makes the test binary be warp, and the programs that scripts need, when it is called by their names. The server
// embedded in warp is this binary too: warp calls itself by its path.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"warp":    func() { os.Exit(Main(OS())) },
		"s3faker": s3Faker,
	})
}

// golden compares got with a file, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\n(write it anew with -update)", path, got)
	}
}
