//go:build race

package embedded

import (
	"cmp"
	"os"
)

// program returns the path of the binary whose child is the server. A server with the race detector takes most of a test's
// time, and is not what is tested: WARP_TEST_EMBEDDED names a warp without.
func program() (string, error) {
	exe, err := os.Executable()
	return cmp.Or(os.Getenv("WARP_TEST_EMBEDDED"), exe), err
}
