//go:build !race

package embedded

import "os"

// program returns the path of the binary whose child is the server: this one.
func program() (string, error) { return os.Executable() }
