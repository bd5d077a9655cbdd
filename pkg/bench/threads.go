package bench

import "fmt"

// MaxThreads is more than any machine has connections for, and so a mistake.
const MaxThreads = 1 << 20

// spareFiles is how many files a run opens beside the connections of its threads.
const spareFiles = 32

// CheckThreads complains of more threads than this process can have connections for: each thread has one at a time.
func CheckThreads(n int) error {
	limit, known := openFiles()
	if !known || uint64(max(n, 0))+spareFiles <= limit {
		return nil
	}
	return fmt.Errorf("concurrent: %d threads need as many connections, and this process may open %d files; use fewer, or raise the limit (ulimit -n)", n, limit)
}
