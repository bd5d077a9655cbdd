package bench

import (
	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/s3"
)

// MaxThreads is more than any machine has connections for, and so a mistake.
const MaxThreads = 1 << 20

// spareFiles is how many files a run opens beside the connections of its threads.
const spareFiles = 32

// CheckThreads complains of more threads than this process can have connections for. In an open loop there are timers beside them.
func CheckThreads(threads, hosts int) error {
	limit, known := openFiles()
	threads = max(threads, 0)
	need := s3.MaxConnections(threads, max(hosts, 1))
	if !known || uint64(need+min(threads, load.MaxTimers))+spareFiles <= limit {
		return nil
	}
	return option.Errorf("concurrent", "%d threads need up to %d connections, and this process may open %d files; use fewer, or raise the limit (ulimit -n)", threads, need, limit)
}
