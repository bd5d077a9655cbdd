package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

var createBucketInfo = work.Info{
	Name:  "create-bucket",
	Usage: "create buckets",
	Description: "Creates additional, empty buckets, up to --extra-buckets of them, and deletes them at the " +
		"end. Accounts have a limit of buckets: 100 in some clouds.",
	Size:    "1KiB",
	Example: "--extra-buckets=50 --concurrent=5",
	New:     func() work.Workload { return &CreateBucket{} },
}

// CreateBucket creates extra buckets.
type CreateBucket struct{ work.Extra }

// Flags binds the parameters.
func (b *CreateBucket) Flags(fs *flag.FlagSet) {
	fs.IntVar(&b.Buckets, "extra-buckets", 0, "`N` stop after creating N buckets; 0: as many as --buckets, or 100")
	fs.BoolVar(&b.Named, "named-buckets", false, "create --bucket, or all --buckets, and keep them")
}

// Validate checks the parameters.
func (b *CreateBucket) Validate(work.Load, generator.Spec) []error { return b.Check() }

// Traits declares that buckets are made, and no object is needed.
func (b *CreateBucket) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.CreateBucket}},
		Data:    work.Data{Existing: b.Named},
		Use:     work.Use{AnyObject: true},
		Buckets: work.Buckets{Extra: &b.Extra},
	}
}

// Do creates one bucket.
func (*CreateBucket) Do(ctx context.Context, w *work.Worker) error { return w.CreateBucket(ctx) }
