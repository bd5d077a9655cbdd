//go:build !unix

package bench

// openFiles reports that no limit is known.
func openFiles() (limit uint64, known bool) { return 0, false }
