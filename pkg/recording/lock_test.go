package recording

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A recording is in use while it is held, and no longer; reading and writing it go on meanwhile.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.csv.zst")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := Hold(path)
	if err != nil || held == nil {
		t.Fatalf("%v, %v", held, err)
	}
	if _, err := Hold(path); !errors.Is(err, ErrInUse) || !InUse(path) {
		t.Errorf("held twice: %v", err)
	}
	if err := os.WriteFile(path, []byte("ab"), 0o600); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "ab" {
		t.Errorf("read %q, %v", b, err)
	}
	if held.Release(); InUse(path) {
		t.Errorf("in use after its end: %v", err)
	}
}

// A place is that of one file, by whatever name, and does not show its path.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	one, link, other := filepath.Join(dir, "one"), filepath.Join(dir, "link"), filepath.Join(dir, "other")
	for _, path := range []string{one, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(one, link); err != nil {
		t.Skip(err)
	}
	if Place(one) == "" || Place(one) != Place(link) || Place(one) == Place(other) || Place(filepath.Join(dir, "missing")) != "" {
		t.Errorf("one %q, a link to it %q, another %q", Place(one), Place(link), Place(other))
	}
}
