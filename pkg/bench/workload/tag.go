package workload

import (
	"context"
	"flag"
	"strconv"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var tagInfo = work.Info{
	Name:  "tag",
	Usage: "read, replace and remove tags of objects",
	Description: "Uploads --objects objects, then reads, replaces and removes their tags, in the proportions of the " +
		"--*-distrib flags. Objects are used in get's order. On Google Cloud Storage (JSON interface) tags are metadata of the object: " +
		"a removal removes all of it, and an object that is changed more than once a second gets 429.",
	Size:    "1KiB",
	Example: "--objects=1000 --get-distrib=80 --put-distrib=20 --delete-distrib=0",
	New:     func() work.Workload { return &Tag{} },
}

// Tag reads, replaces and removes the tags of objects.
type Tag struct {
	work.Prepared
	work.Existing
	Picks
	GetShare    work.Share `json:"get_distrib"`
	PutShare    work.Share `json:"put_distrib"`
	DeleteShare work.Share `json:"delete_distrib"`

	kinds work.Proportions
}

// Flags binds the parameters.
func (t *Tag) Flags(fs *flag.FlagSet) {
	t.Prepared.Bind(fs, 10000, work.OrExisting)
	t.Existing.Bind(fs)
	t.Picks.Bind(fs, DefaultAccess)
	t.GetShare, t.PutShare, t.DeleteShare = 60, 30, 10
	fs.Var(&t.GetShare, "get-distrib", "`SHARE` share of requests for tags; shares are parts of their sum")
	fs.Var(&t.PutShare, "put-distrib", "`SHARE` share of requests that replace tags")
	fs.Var(&t.DeleteShare, "delete-distrib", "`SHARE` share of requests that remove tags")
}

// Validate checks the parameters.
func (t *Tag) Validate(work.Load, generator.Spec) []error {
	errs := append(t.Prepared.CheckExisting(t.ListExisting), t.Picks.Check(t.Objects, t.ListExisting)...)
	if t.GetShare+t.PutShare+t.DeleteShare == 0 {
		errs = append(errs, option.Errorf("get-distrib, put-distrib, delete-distrib", "all are 0, so there is nothing to do"))
	}
	return errs
}

// Traits declares that tags are read, or changed as well.
func (t *Tag) Traits() work.Traits {
	tr := work.Traits{
		Effect:  work.Reads,
		Data:    work.Data{Objects: t.Objects, Existing: t.ListExisting, Flat: t.ListFlat},
		Use:     work.Use{Access: t.Access, Picks: true, Pass: work.EachObject},
		Sharing: work.Sharing{Shares: true},
	}
	if t.PutShare > 0 {
		tr.Demands = work.NewDemands(probe.PutTags)
	}
	if t.GetShare > 0 {
		tr.Kinds, tr.Demands = append(tr.Kinds, op.GetTags), append(tr.Demands, work.NewDemands(probe.GetTags)...)
	}
	if t.PutShare > 0 {
		tr.Kinds, tr.Effect = append(tr.Kinds, op.PutTags), work.Changes
	}
	if t.DeleteShare > 0 {
		tr.Kinds, tr.Effect = append(tr.Kinds, op.DeleteTags), work.Changes
		tr.Demands = append(tr.Demands, work.NewDemands(probe.DeleteTags)...)
	}
	return tr
}

// Estimate returns the requests of each kind.
func (t *Tag) Estimate(turns work.Turns) (c work.Cost) {
	all := t.GetShare + t.PutShare + t.DeleteShare
	c.Request(op.GetTags, turns.Of(t.GetShare, all).Count)
	c.Request(op.PutTags, turns.Of(t.PutShare, all).Count)
	c.Request(op.DeleteTags, turns.Of(t.DeleteShare, all).Count)
	return c
}

// Prepare sets up the sequence of kinds.
func (t *Tag) Prepare(set *dataset.DataSet, _ int) error {
	t.kinds = work.NewProportions(set.Seed(dataset.StreamKind), t.GetShare, t.PutShare, t.DeleteShare)
	return nil
}

// Do performs the request that is due in this turn.
func (t *Tag) Do(ctx context.Context, w *work.Worker) error {
	o := w.Pick()
	switch t.kinds.At(w.Turn.N) {
	case 0:
		return GetTags(ctx, w, o)
	case 1:
		return PutTag(ctx, w, o)
	}
	return DeleteTags(ctx, w, o)
}

// GetTags reads the tags of an object, and checks that they are the last ones set.
func GetTags(ctx context.Context, w *work.Worker, o dataset.Object) error {
	read := func(c *s3.Call) error { return ops.GetTags(ctx, w.S3, c, &w.Doc) }
	return w.ReadBack(ctx, op.GetTags, o, dataset.SettingTag, read, func(want int64) error {
		key, value, n := w.Doc.Tags()
		switch turn, err := strconv.ParseInt(string(value), 10, 64); {
		case n < 0, want == NoTags && n == 0, n == 1 && string(key) == tagKey && err == nil && turn == want:
			return nil
		case want == NoTags:
			return ops.WrongDocument(&w.Call, "%d tags, first %q=%q; they were removed", n, key, value)
		}
		return ops.WrongDocument(&w.Call, "%d tags, first %q=%q; what was set is %q=%d", n, key, value, tagKey, want)
	})
}

// PutTag gives an object one tag: the number of the turn.
func PutTag(ctx context.Context, w *work.Worker, o dataset.Object) error {
	turn := w.Turn.N
	return w.Change(ctx, op.PutTags, o, dataset.SettingTag, int64(turn), func(c *s3.Call) error {
		return ops.PutTag(ctx, w.S3, c, &w.Doc, tagKey, turn)
	})
}

// DeleteTags removes the tags of an object.
func DeleteTags(ctx context.Context, w *work.Worker, o dataset.Object) error {
	return w.Change(ctx, op.DeleteTags, o, dataset.SettingTag, NoTags, func(c *s3.Call) error { return ops.DeleteTags(ctx, w.S3, c) })
}

const tagKey = "turn"

// NoTags is the SettingTag of an object after the removal of its tags.
const NoTags = -1
