package workload

import (
	"context"
	"flag"
	"fmt"

	"warp/internal/option"
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
		"in parts, several at once; the report has each kind of request and the whole object (MULTIPARTCOPY, in no total). --compose=N joins " +
		"N objects to each new one (COMPOSE; Google Cloud Storage).",
	Size:    "10MiB",
	Example: "--objects=100 --obj.size=1MiB",
	New:     func() work.Workload { return &Copy{} },
	Kinds:   []op.Kind{op.CopyPart, op.MultipartCopy, op.Compose},
}

// Copy has the server copy objects, in one piece or in parts, or join them.
type Copy struct {
	work.Prepared
	Picks
	work.Parts     // of size 0: in one piece
	Sources    int `json:"compose,omitempty"` // of each new object, which are joined; 0: one, which is copied
}

// Flags binds the parameters.
func (c *Copy) Flags(fs *flag.FlagSet) {
	c.Prepared.Bind(fs, 250, "")
	c.Picks.Bind(fs, DefaultAccess)
	c.Parts.Bind(fs, 0, 5, "copy objects in parts of this size (UploadPartCopy); S3 demands 5 MiB or more")
	usage := fmt.Sprintf("join `N` objects to one (2 to %d; Google Cloud Storage); 0: copy objects", ops.MaxSources)
	fs.IntVar(&c.Sources, "compose", 0, usage)
}

// Validate checks the parameters.
func (c *Copy) Validate(l work.Load, data generator.Spec) []error {
	errs := append(c.Prepared.Check(), c.Picks.Check(c.Objects, false)...)
	switch {
	case c.Sources < 0 || c.Sources == 1 || c.Sources > ops.MaxSources:
		errs = append(errs, option.Invalid("compose", c.Sources, fmt.Sprintf("2 to %d, or 0", ops.MaxSources)))
	case c.Sources > 0 && c.PartSize != 0:
		errs = append(errs, option.Errorf("compose", "objects are joined in one piece; leave out --part.size"))
	}
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
	switch {
	case c.Sources > 0:
		t.Kinds, t.Demands, t.Pass, t.OneBucket = []op.Kind{op.Compose}, work.NewDemands(probe.Compose), c.pass, true
	case c.PartSize != 0:
		t.Kinds, t.Rare = []op.Kind{op.CreateUpload, op.CopyPart, op.CompleteUpload, op.MultipartCopy}, []op.Kind{op.AbortUpload}
		t.Lanes, t.Demands = c.Concurrency, nil
	}
	return t
}

// pass is the number of turns that join each object once.
func (c *Copy) pass(set *dataset.DataSet) uint64 {
	n := uint64(c.Sources)
	return (work.EachObject(set) + n - 1) / n
}

// Estimate returns the cost of copies.
func (c *Copy) Estimate(t work.Turns) (cost work.Cost) {
	switch {
	case c.Sources > 0:
		cost.Request(op.Compose, t.Count)
		cost.Objects, cost.Stored = t.Count, int64(c.Sources)*t.Size()
	case c.PartSize != 0:
		cost.Parts(op.CopyPart, &c.Parts, t)
	default:
		cost.Request(op.Copy, t.Count)
		cost.Objects, cost.Stored = t.Count, t.Size()
	}
	return cost
}

// Do makes one object.
func (c *Copy) Do(ctx context.Context, w *work.Worker) error {
	if c.Sources > 0 {
		return c.compose(ctx, w)
	}
	o := w.Pick()
	if c.PartSize != 0 {
		return w.CopyParts(ctx, o, &c.Parts)
	}
	return work.CopyNew(ctx, w, o)
}

// compose joins the objects that as many turns of single copies would have picked.
func (c *Copy) compose(ctx context.Context, w *work.Worker) error {
	n, sources, size := uint64(c.Sources), make([]string, c.Sources), int64(0)
	for i := range n {
		o := w.Set.Pick(w.Turn.N*n + i)
		sources[i] = o.Key
		size += o.Size
	}
	return work.ComposeNew(ctx, w, sources, size)
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
