package workload

import (
	"context"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var retentionInfo = work.Info{
	Name:  "retention",
	Usage: "lock versions of objects for a time",
	Description: "Uploads --objects objects with --versions versions each into a bucket with object lock, then locks versions in " +
		"governance mode; --get-distrib adds requests that read their locks. Versions are used in get's order. If locks " +
		"are read, each version is locked once first.",
	Size:    "1KiB",
	Example: "--objects=1000 --versions=2 --put-distrib=80 --get-distrib=20",
	New:     func() work.Workload { return &Locking{lock: &retention} },
	Kinds:   []op.Kind{op.GetRetention},
}

var retentionShare = companion{
	workload: "retention",
	shares: []companionShare{
		{"retention-put", "requests that lock versions of --objects objects of 1KiB for a time"},
		{"retention-get", "requests that read locks"},
	},
	make: func(m *Mixed) work.Workload { return m.locking(&retention, "retention") },
}

// retention locks versions for a time.
var retention = lock{
	put:        op.Retention,
	get:        op.GetRetention,
	row:        probe.Retention,
	objects:    25000,
	versions:   5,
	versionUse: "lock",
	puts:       "lock a version",
	gets:       "read until when a version is locked",
	write:      putRetention,
	read:       getRetention,
}

// lockPeriod is the retention period of locked versions. The clean-up removes them earlier.
const lockPeriod = time.Hour

// putRetention locks a version for lockPeriod.
func putRetention(ctx context.Context, w *work.Worker, o dataset.Object, _ uint64) error {
	until := clock.Wall().Add(lockPeriod)
	return w.Change(ctx, op.Retention, o, dataset.SettingLock, until.Unix(), func(c *s3.Call) error {
		return ops.PutRetention(ctx, w.S3, c, &w.Doc, until)
	})
}

// getRetention reads until when a version is locked.
func getRetention(ctx context.Context, w *work.Worker, o dataset.Object) error {
	var lock ops.Lock
	return w.ReadBack(ctx, op.GetRetention, o, dataset.SettingLock, func(c *s3.Call) (err error) {
		lock, err = ops.GetRetention(ctx, w.S3, c, &w.Doc)
		return err
	}, func(want int64) error { return probe.CheckLock(&w.Call, lock, want) })
}
