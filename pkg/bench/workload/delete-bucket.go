package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

var deleteBucketInfo = work.Info{
	Name:        "delete-bucket",
	Usage:       "delete buckets",
	Description: "Creates --extra-buckets additional, empty buckets, then deletes them until all are gone.",
	Size:        "1KiB",
	Example:     "--extra-buckets=50 --concurrent=5",
	New:         func() work.Workload { return &DeleteBucket{} },
}

// DeleteBucket deletes extra buckets.
type DeleteBucket struct{ work.Extra }

// Flags binds the parameters.
func (b *DeleteBucket) Flags(fs *flag.FlagSet) {
	fs.IntVar(&b.Buckets, "extra-buckets", 0, "`N` empty buckets to create, then delete; 0: as many as --buckets, or 100")
	fs.BoolVar(&b.Named, "named-buckets", false, "delete --bucket, or all --buckets; needs --force")
}

// Validate checks the parameters.
func (b *DeleteBucket) Validate(work.Load, generator.Spec) []error { return b.Check() }

// Traits declares that buckets are deleted, and no object is needed.
func (b *DeleteBucket) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.DeleteBucket}},
		Data:    work.Data{Existing: b.Named},
		Use:     work.Use{AnyObject: true},
		Buckets: work.Buckets{Extra: &b.Extra, ExtraFirst: true},
	}
}

// Do deletes one bucket.
func (b *DeleteBucket) Do(ctx context.Context, w *work.Worker) error {
	extra := w.Set.Extra
	n, ok := extra.ToDelete()
	if !ok {
		return load.ErrDone
	}
	err := w.Op(ctx, op.DeleteBucket, func(rec *op.Op) error {
		rec.Key = extra.Name(n)
		w.Call.Other = rec.Key
		err := ops.RemoveBucket(ctx, w.S3, &w.Call)
		if b.Named && s3.NoBucket(err) {
			return nil
		}
		return err
	})
	extra.Deleted(n, err)
	return err
}
