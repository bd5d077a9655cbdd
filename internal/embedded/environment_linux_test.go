//go:build !noembed

package embedded_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"warp/internal/embedded"
)

// TestChildEnvironment reads what everybody with this user's rights can read of the server's process.
func TestChildEnvironment(t *testing.T) {
	t.Setenv("WARP_SECRET_KEY", "hush-hush")
	t.Setenv("WARP_TOKEN", "hush-hush")
	s := start(t, embedded.Options{Secret: "hush-hush"})
	for _, file := range []string{"environ", "cmdline"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.Pid(), file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "hush") || strings.Contains(string(text), "WARP_") {
			t.Errorf("%s: %q", file, text)
		}
	}
}
