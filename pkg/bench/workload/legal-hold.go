package workload

import (
	"context"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var legalHoldInfo = work.Info{
	Name:  "legal-hold",
	Usage: "place, remove and read legal holds",
	Description: "Uploads --objects objects with --versions versions each into a bucket with object lock, then places legal holds " +
		"on versions, removes and reads them, in the proportions of the --*-distrib flags. Versions are used in get's " +
		"order; holds are placed in one pass and removed in the next. If holds are read, each version starts with one.",
	Size:    "1KiB",
	Example: "--objects=1000 --put-distrib=20 --get-distrib=80",
	New:     func() work.Workload { return &Locking{lock: &legalHold} },
}

var legalHoldShare = companion{
	workload: "legal-hold",
	shares: []companionShare{
		{"legal-hold-put", "requests that place and remove legal holds, on objects of 1KiB"},
		{"legal-hold-get", "requests that read legal holds"},
	},
	make: func(m *Mixed) work.Workload { return m.locking(&legalHold, "legal-hold") },
}

// legalHold places legal holds on versions in one pass, and removes them in the next.
var legalHold = lock{
	put:        op.LegalHold,
	get:        op.GetLegalHold,
	row:        probe.LegalHold,
	objects:    10000,
	versions:   1,
	reads:      50,
	versionUse: "hold",
	puts:       "place or remove a legal hold",
	gets:       "read whether a version has a legal hold",
	write:      putLegalHold,
	read:       getLegalHold,
}

// putLegalHold places a legal hold on a version, or removes it.
func putLegalHold(ctx context.Context, w *work.Worker, o dataset.Object, pass uint64) error {
	on := pass%2 == 0
	value := int64(0)
	if on {
		value = 1
	}
	return w.Change(ctx, op.LegalHold, o, dataset.SettingHold, value, func(c *s3.Call) error {
		return ops.PutLegalHold(ctx, w.S3, c, &w.Doc, on)
	})
}

// getLegalHold reads whether a version has a legal hold.
func getLegalHold(ctx context.Context, w *work.Worker, o dataset.Object) error {
	on := false
	return w.ReadBack(ctx, op.GetLegalHold, o, dataset.SettingHold, func(c *s3.Call) (err error) {
		on, err = ops.GetLegalHold(ctx, w.S3, c, &w.Doc)
		return err
	}, func(want int64) error { return probe.CheckHold(&w.Call, on, want == 1) })
}
