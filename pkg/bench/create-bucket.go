package bench

import (
	"context"
	"flag"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

var createBucketInfo = Info{
	Name:  "create-bucket",
	Usage: "benchmark creations of buckets",
	Description: "Creates buckets beside that of the run, with names of their own, for --duration, or until there are --extra-buckets. They hold nothing, and are deleted at the end. " +
		"Accounts have a limit of buckets: 100 in some clouds.",
	Size:    "1KiB",
	Example: "--extra-buckets=50 --concurrent=5",
	New:     func() Workload { return &CreateBucket{} },
}

// CreateBucket creates extra buckets.
type CreateBucket struct{ Extra }

// Flags binds the parameters.
func (b *CreateBucket) Flags(fs *flag.FlagSet) {
	fs.IntVar(&b.Buckets, "extra-buckets", 0, "`N` end when so many buckets were created; 0: as many as --buckets, or 100")
}

// Validate checks the parameters.
func (b *CreateBucket) Validate(*Stream, generator.Spec) []error { return b.Check() }

// Traits declares that buckets are made, and no object is needed.
func (b *CreateBucket) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.CreateBucket}, Effect: Adds, Joins: true, Extra: &b.Extra}
}

// Do creates one bucket.
func (*CreateBucket) Do(ctx context.Context, w *Worker) error {
	extra := w.Set.Extra
	n, ok := extra.Missing()
	if !ok {
		return load.ErrDone
	}
	err := w.Op(ctx, op.CreateBucket, func(rec *op.Op) error {
		rec.Key = extra.Name(n)
		w.Call.Other = rec.Key
		return ops.CreateBucket(ctx, w.S3, &w.Call, extra.Region, false)
	})
	extra.Made(n, err)
	return err
}
