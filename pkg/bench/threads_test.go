package bench

import (
	"testing"

	"warp/pkg/load"
	"warp/pkg/s3"
)

func TestCheckThreadsCountsTimers(t *testing.T) {
	limit, known := openFiles()
	if !known || limit > MaxThreads {
		t.Skip("open files are not limited here")
	}
	most := 0
	for s3.MaxConnections(most+1, 1)+load.MaxTimers+spareFiles <= int(limit) {
		most++
	}
	if err := CheckThreads(most, 1); err != nil {
		t.Error(err)
	}
	if CheckThreads(most+1, 1) == nil {
		t.Errorf("%d threads and their timers fit into %d files", most+1, limit)
	}
}
