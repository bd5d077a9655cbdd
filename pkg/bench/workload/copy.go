package workload

import (
	"context"
	"flag"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
	"warp/pkg/units"
)

var copyInfo = work.Info{
	Name:  "copy",
	Usage: "copy objects within the store",
	Description: "Uploads --objects objects, then has the server copy them, each copy under a new key. Objects are " +
		"used in get's order. The contents don't pass through the client, so throughput is in objects. --part.size copies an object " +
		"in parts, several at once; the report has each kind of request and the whole object (MULTIPARTCOPY, in no total).",
	Size:    "10MiB",
	Example: "--objects=100 --obj.size=1MiB",
	New:     func() work.Workload { return &Copy{} },
	Kinds:   []op.Kind{op.CopyPart, op.MultipartCopy},
}

// Copy has the server copy objects, in one piece or in parts.
type Copy struct {
	work.Prepared
	Picks
	work.Parts // of size 0: in one piece
}

// Flags binds the parameters.
func (c *Copy) Flags(fs *flag.FlagSet) {
	c.Prepared.Bind(fs, 250, "")
	c.Picks.Bind(fs, DefaultAccess)
	c.Parts.Bind(fs, 0, 5, "copy objects in parts of this size (UploadPartCopy); S3 demands 5 MiB or more")
}

// Validate checks the parameters.
func (c *Copy) Validate(l work.Load, data generator.Spec) []error {
	errs := append(c.Prepared.Check(), c.Picks.Check(c.Objects, false)...)
	if c.PartSize == 0 {
		return append(errs, c.CheckConcurrency()...)
	}
	return append(errs, c.CheckSizes(l.Limits, data.Sizes)...)
}

// Traits declares that objects are added.
func (c *Copy) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Copy}},
		Data:    work.Data{Objects: c.Objects},
		Use:     work.Use{Access: c.Access, Picks: true, Pass: work.EachObject},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Copy)},
		Sharing: work.Sharing{Shares: true},
	}
	if c.PartSize != 0 {
		t.Kinds, t.Rare = []op.Kind{op.CreateUpload, op.CopyPart, op.CompleteUpload, op.MultipartCopy}, []op.Kind{op.AbortUpload}
		t.Lanes, t.Demands = c.Concurrency, nil
	}
	return t
}

// Estimate returns the cost of copies.
func (c *Copy) Estimate(t work.Turns) (cost work.Cost) {
	if c.PartSize != 0 {
		cost.Parts(op.CopyPart, &c.Parts, t)
		return cost
	}
	cost.Request(op.Copy, t.Count)
	cost.Objects, cost.Stored = t.Count, t.Size()
	return cost
}

// Do copies one object.
func (c *Copy) Do(ctx context.Context, w *work.Worker) error {
	o := w.Pick()
	if c.PartSize != 0 {
		return w.CopyParts(ctx, o, &c.Parts)
	}
	return work.CopyNew(ctx, w, o)
}

// Examine makes sure that the server copies ranges of objects: a copy of the last part of an object must have the size of the part.
func (c *Copy) Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, bucket string) error {
	if c.PartSize == 0 {
		return nil
	}
	o := set.At(0)
	n := c.Number(o.Size)
	offset, length := c.Part(o.Size, n-1)
	copied, err := work.TryPart(ctx, sess, set, length, func(call *s3.Call, upload string) (ops.Part, error) {
		if n > 1 {
			call.Offset, call.Length = offset, length
		}
		return ops.CopyPart(ctx, sess, call, &ops.Document{}, ops.CopySource(bucket, ops.ObjectID{Key: o.Key}), upload, 1)
	})
	if err != nil {
		return fmt.Errorf("copy part %d of %d of %q: %w", n, n, o.Key, err)
	}
	if !copied {
		const text = "the server ignores x-amz-copy-source-range: it copied more or less than the %s of part %d of %d; leave out --part.size"
		return fmt.Errorf(text, units.Size(length), n, n)
	}
	return nil
}
