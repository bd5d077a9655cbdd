package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

var headBucketInfo = work.Info{
	Name:        "head-bucket",
	Usage:       "check that the bucket exists (HEAD)",
	Description: "Sends HEAD requests for the bucket: the least work a signed request can be.",
	Size:        "1KiB",
	Example:     "--duration=1m",
	New:         func() work.Workload { return &HeadBucket{} },
}

// HeadBucket looks whether the bucket exists.
type HeadBucket struct{}

// Flags binds nothing.
func (*HeadBucket) Flags(*flag.FlagSet) {}

// Traits declares that no object is needed.
func (*HeadBucket) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.HeadBucket}},
		Use:     work.Use{AnyObject: true},
	}
}

// Do sends one request.
func (*HeadBucket) Do(ctx context.Context, w *work.Worker) error {
	return w.Op(ctx, op.HeadBucket, func(rec *op.Op) error {
		w.InBucket(w.Set.BucketOf(w.Turn.N), rec)
		return ops.HeadBucket(ctx, w.S3, &w.Call)
	})
}
