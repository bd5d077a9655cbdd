package bench

import (
	"context"
	"flag"

	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

var headBucketInfo = Info{
	Name:        "head-bucket",
	Usage:       "benchmark requests that look whether the bucket exists (HEAD)",
	Description: "Sends HEAD requests for the bucket for --duration: the least work that a server can have with a signed request.",
	Size:        "1KiB",
	Example:     "--duration=1m",
	New:         func() Workload { return &HeadBucket{} },
}

// HeadBucket looks whether the bucket exists.
type HeadBucket struct{}

// Flags binds nothing.
func (*HeadBucket) Flags(*flag.FlagSet) {}

// Traits declares that no object is needed.
func (*HeadBucket) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.HeadBucket}, Effect: Reads, Joins: true}
}

// Do sends one request.
func (*HeadBucket) Do(ctx context.Context, w *Worker) error {
	return w.Op(ctx, op.HeadBucket, func(rec *op.Op) error {
		InBucket(w, w.Set.BucketOf(w.Turn.N), rec)
		return ops.HeadBucket(ctx, w.S3, &w.Call)
	})
}
