package flags

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/cli/internal/process"
)

// TestTokenFile warns of a token that all users of the machine can read, and takes it.
func TestTokenFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have no such modes")
	}
	const token = "a token of sixteen bytes or more"
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o440: false, 0o640: false, 0o644: true, 0o444: true, 0o604: true} {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		var told string
		got, err := (&Mesh{tokenFile: path}).Token(&process.Env{Getenv: func(string) string { return "" }}, func(text string) { told += text })
		if err != nil || got != token {
			t.Errorf("%o: the token is %q (%v)", mode, got, err)
		}
		if (told != "") != warned || warned && !strings.Contains(told, path) || strings.Contains(told, token) {
			t.Errorf("%o: it warns %q", mode, told)
		}
	}
}
