package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var legalHoldInfo = work.Info{
	Name:  "legal-hold",
	Usage: "benchmark requests that place, remove and read legal holds",
	Description: "Uploads --objects objects with --versions versions each into a bucket with object lock, then places legal holds " +
		"on versions, removes and reads them, for --duration, in the proportions of the --*-distrib flags. Versions are used in get's " +
		"order; holds are placed in one pass and removed in the next. If holds are read, each version starts with one.",
	Size:    "1KiB",
	Example: "--objects=1000 --put-distrib=20 --get-distrib=80",
	New:     func() work.Workload { return &LegalHold{} },
}

var legalHoldShare = companion{
	workload: "legal-hold",
	shares: []companionShare{
		{"legal-hold-put", "requests that place and remove legal holds on versions of --objects objects of 1KiB"},
		{"legal-hold-get", "requests that read these"},
	},
	make: func(m *Mixed) work.Workload {
		l := defaults(&LegalHold{})
		m.lock(&l.Locking, "legal-hold")
		return l
	},
}

// LegalHold places legal holds on versions.
type LegalHold struct{ Locking }

// Flags binds the parameters.
func (l *LegalHold) Flags(fs *flag.FlagSet) {
	l.Prepared.Bind(fs, 10000, "")
	fs.Uint64Var(&l.Versions, "versions", 1, "`N` number of versions of each object to upload and hold by their IDs")
	l.Locking.Bind(fs, "place a legal hold on a version, or remove it", "read whether a version has a legal hold")
}

// Traits declares that versions are locked.
func (l *LegalHold) Traits() work.Traits {
	return l.TraitsOf(op.LegalHold, op.GetLegalHold, probe.LegalHold)
}

// Estimate returns the requests of each kind.
func (l *LegalHold) Estimate(t work.Turns) work.Cost {
	return l.EstimateShares(t, op.LegalHold, op.GetLegalHold)
}

// Finish places a legal hold on an uploaded version, since a version that never had a hold has none to read.
func (l *LegalHold) Finish(ctx context.Context, w *work.Worker, o dataset.Object) error {
	return putLegalHold(ctx, w, o, true)
}

// Do performs the request that is due in this turn.
func (l *LegalHold) Do(ctx context.Context, w *work.Worker) error {
	o := w.Set.Pick(w.Turn.N)
	if l.Puts(w.Turn.N) {
		return putLegalHold(ctx, w, o, w.Turn.N/w.Set.Len()%2 == 0)
	}
	on := false
	return w.ReadBack(ctx, op.GetLegalHold, o, dataset.SettingHold, func(c *s3.Call) (err error) {
		on, err = ops.GetLegalHold(ctx, w.S3, c, &w.Doc)
		return err
	}, func(want int64) error { return probe.CheckHold(&w.Call, on, want == 1) })
}

// putLegalHold places a legal hold on a version, or removes it.
func putLegalHold(ctx context.Context, w *work.Worker, o dataset.Object, on bool) error {
	value := int64(0)
	if on {
		value = 1
	}
	return w.Change(ctx, op.LegalHold, o, dataset.SettingHold, value, func(c *s3.Call) error {
		return ops.PutLegalHold(ctx, w.S3, c, &w.Doc, on)
	})
}
