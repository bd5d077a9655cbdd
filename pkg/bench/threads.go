package bench

import (
	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/s3"
)

// MaxThreads is the maximum concurrency of a stream: more than any machine has connections for.
const MaxThreads = 1 << 20

// spareFiles is the number of open files of a run other than its threads' connections.
const spareFiles = 32

// CheckThreads returns an error if this process may open too few files for the connections and timers of a number of threads.
func CheckThreads(threads, hosts int) error {
	limit, known := openFiles()
	threads = max(threads, 0)
	need := s3.MaxConnections(threads, max(hosts, 1))
	if !known || uint64(need+min(threads, load.MaxTimers))+spareFiles <= limit {
		return nil
	}
	const text = "%d threads need up to %d connections, and this process may open %d files; use fewer, or raise the limit (ulimit -n)"
	return option.Errorf("concurrent", text, threads, need, limit)
}
