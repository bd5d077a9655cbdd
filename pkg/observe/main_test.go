package observe

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a system's /proc and /sys in a directory. Names are from the root.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, content map[string]string) tree {
	t.Helper()
	tr := tree{t, t.TempDir()}
	for name, text := range content {
		tr.write(name, text)
	}
	return tr
}

func (tr tree) write(name, text string) {
	tr.t.Helper()
	full := filepath.Join(tr.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) files() *files { return &files{root: tr.root} }
