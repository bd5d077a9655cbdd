//go:build !unix

package bench

// openFiles is not limited, as far as is known.
func openFiles() (limit uint64, known bool) { return 0, false }
