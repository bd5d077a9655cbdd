package workload

import (
	"context"
	"flag"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

var getInfo = work.Info{
	Name:  "get",
	Usage: "download objects",
	Description: "Uploads --objects objects, then downloads them. Each object is read once before any is read " +
		"twice, in a new order each time. With --versions each version counts as an object. --range reads ranges of objects. " +
		"--part.size downloads an object in parts, several at once; the report has each part (GETPART) and the whole object " +
		"(MULTIPARTGET, in no total).",
	Size:    "10MiB",
	Example: "--objects=1000 --obj.size=1MiB --duration=1m",
	New:     func() work.Workload { return &Get{} },
	Kinds:   []op.Kind{op.GetPart, op.MultipartGet},
}

// Get downloads objects, in one piece or in parts, or their ranges.
type Get struct {
	work.Prepared
	VersionParams
	work.Existing
	Picks
	Ranges
	work.Conditions
	work.Parts      // of size 0: in one piece
	Presign    bool `json:"presign,omitempty"`
}

// Flags binds the parameters.
func (g *Get) Flags(fs *flag.FlagSet) {
	g.Prepared.Bind(fs, 2500, work.OrExisting)
	g.VersionParams.Bind(fs, 1, "download by their IDs")
	g.Existing.Bind(fs)
	g.Picks.Bind(fs, DefaultAccess)
	g.Ranges.Bind(fs)
	g.Parts.Bind(fs, 0, 5, "download objects in parts of this size, by ranges, like SDKs")
	fs.Var(&g.PartSize, "part.get", "`SIZE` same as --part.size; with --compat=minio that is about uploads")
	fs.BoolVar(&g.Presign, "presign", false, "sign URLs in advance, instead of a header")
	g.Conditions.Bind(fs)
}

// Validate checks the parameters.
func (g *Get) Validate(l work.Load, data generator.Spec) []error {
	errs := slices.Concat(
		g.Prepared.CheckExisting(g.ListExisting), g.VersionParams.Check(g.Objects), g.Picks.Check(g.Objects*max(1, g.Versions), g.ListExisting),
		g.Ranges.Check(data, g.ListExisting), g.Conditions.Check(),
	)
	if g.PartSize == 0 {
		return append(errs, g.Parts.CheckConcurrency()...)
	}
	if g.Ranges.Any() {
		errs = append(errs, option.Errorf("part.size", "objects are downloaded either in parts or by --range; leave out one of them"))
	}
	if g.Conditions.Any() {
		errs = append(errs, option.Errorf("part.size", "objects are downloaded in parts without conditions; leave out one of them"))
	}
	return append(errs, g.Parts.Check(l.Limits)...)
}

// Traits declares that objects are only read.
func (g *Get) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.Get}},
		Data: work.Data{
			Objects:  g.Objects,
			Versions: g.Each(),
			Existing: g.ListExisting,
			Flat:     g.ListFlat,
			Checks:   g.Verify,
		},
		Use:     work.Use{Access: g.Access, Picks: true, Pass: work.EachObject},
		Sends:   work.Sends{If: g.Conditions, Ranged: g.Ranges.Any()},
		Sharing: work.Sharing{Shares: true},
	}
	if g.Presign {
		t.Demands = work.NewDemands(probe.SignedGet)
	}
	if g.PartSize > 0 {
		t.Kinds, t.Lanes = []op.Kind{op.GetPart, op.MultipartGet}, g.Concurrency
	}
	return t
}

// Estimate returns the cost of downloads.
func (g *Get) Estimate(t work.Turns) (c work.Cost) {
	if g.PartSize == 0 {
		c.Ranges(g.All(), t)
		return c
	}
	c.Request(op.GetPart, g.Total(t))
	c.Received = t.Size()
	return c
}

// Do downloads one object.
func (g *Get) Do(ctx context.Context, w *work.Worker) error {
	if g.Presign {
		w.Auth = s3.AuthQuery
	}
	o := w.Pick()
	if g.PartSize > 0 {
		return w.GetParts(ctx, o, &g.Parts, g.Verify)
	}
	return g.Get(ctx, w, o)
}
