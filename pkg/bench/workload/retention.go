package workload

import (
	"context"
	"flag"

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
	Usage: "benchmark requests that lock versions for a time, and read their locks",
	Description: "Uploads --objects objects with --versions versions each into a bucket with object lock, then locks versions in " +
		"governance mode, and reads their locks, for --duration, in the proportions of the --*-distrib flags. Versions are used in " +
		"get's order. If locks are read, each version is locked once first.",
	Size:    "1KiB",
	Example: "--objects=1000 --versions=2 --put-distrib=80 --get-distrib=20",
	New:     func() work.Workload { return &Retention{} },
}

var retentionShare = companion{
	workload: "retention",
	shares: []companionShare{
		{"retention-put", "requests that lock versions of --objects objects of 1KiB for a time"},
		{"retention-get", "requests that read these locks"},
	},
	make: func(m *Mixed) work.Workload {
		r := defaults(&Retention{})
		m.lock(&r.Locking, "retention")
		return r
	},
}

// Retention locks versions for a time.
type Retention struct{ Locking }

// Flags binds the parameters.
func (r *Retention) Flags(fs *flag.FlagSet) {
	r.Prepared.Bind(fs, 25000, "")
	fs.Uint64Var(&r.Versions, "versions", 5, "`N` number of versions of each object to upload and lock by their IDs")
	r.Locking.Bind(fs, "lock a version", "read until when a version is locked")
}

// Traits declares that versions are locked.
func (r *Retention) Traits() work.Traits {
	return r.TraitsOf(op.Retention, op.GetRetention, probe.Retention)
}

// Estimate returns the requests of each kind.
func (r *Retention) Estimate(t work.Turns) work.Cost {
	return r.EstimateShares(t, op.Retention, op.GetRetention)
}

// Finish locks an uploaded version, since a version without a lock has none to read.
func (r *Retention) Finish(ctx context.Context, w *work.Worker, o dataset.Object) error {
	return putRetention(ctx, w, o)
}

// Do performs the request that is due in this turn.
func (r *Retention) Do(ctx context.Context, w *work.Worker) error {
	o := w.Set.Pick(w.Turn.N)
	if r.Puts(w.Turn.N) {
		return putRetention(ctx, w, o)
	}
	var lock ops.Lock
	return w.ReadBack(ctx, op.GetRetention, o, dataset.SettingLock, func(c *s3.Call) (err error) {
		lock, err = ops.GetRetention(ctx, w.S3, c, &w.Doc)
		return err
	}, func(want int64) error { return probe.CheckLock(&w.Call, lock, want) })
}

// putRetention locks a version for lockPeriod.
func putRetention(ctx context.Context, w *work.Worker, o dataset.Object) error {
	until := clock.Wall().Add(lockPeriod)
	return w.Change(ctx, op.Retention, o, dataset.SettingLock, until.Unix(), func(c *s3.Call) error {
		return ops.PutRetention(ctx, w.S3, c, &w.Doc, until)
	})
}
