package workload

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

var putInfo = work.Info{
	Name:  "put",
	Usage: "upload objects",
	Description: "Uploads objects; each has a new key and unique contents. --verify reads each back and compares " +
		"it. With --objects, that many objects are uploaded first, then overwritten with different contents.",
	Size:    "10MiB",
	Example: "--obj.size=1MiB --duration=1m",
	Kinds:   []op.Kind{op.Post},
	New:     func() work.Workload { return &Put{} },
}

var postShare = companion{
	workload: "put",
	shares:   []companionShare{{"post", "uploads by a form (POST)"}},
	make: func(*Mixed) work.Workload {
		p := defaults(&Put{})
		p.Post = true
		return p
	},
}

var presignShare = companion{
	workload: "put",
	shares:   []companionShare{{"presign-put", "uploads by URLs signed in advance"}},
	make: func(*Mixed) work.Workload {
		p := defaults(&Put{})
		p.Presign = true
		return p
	},
}

// Put uploads new objects, or overwrites the data set's.
type Put struct {
	Verify  bool   `json:"verify,omitempty"`
	Objects uint64 `json:"objects,omitempty"` // to overwrite; 0: new ones are uploaded
	Replace bool   `json:"replace,omitempty"` // overwrite objects of the data set that other streams upload
	Post    bool   `json:"post,omitempty"`
	Presign bool   `json:"presign,omitempty"`
	Picks
	work.Conditions
}

// Flags binds the parameters.
func (p *Put) Flags(fs *flag.FlagSet) {
	fs.BoolVar(&p.Verify, "verify", false, "read each object back after its upload, and compare every byte")
	fs.BoolVar(&p.Post, "post", false, "upload by a form with a signed policy, like browsers (POST)")
	fs.BoolVar(&p.Presign, "presign", false, "sign URLs in advance, instead of a header")
	fs.Uint64Var(&p.Objects, "objects", 0, "`N` objects to upload first, then overwrite; 0: each upload has a new key")
	p.Picks.Bind(fs, DefaultAccess)
	p.Conditions.Bind(fs)
}

// PrepareNone sets the number of objects to 0.
func (p *Put) PrepareNone() { p.Objects = 0 }

// Validate checks the parameters.
func (p *Put) Validate(work.Load, generator.Spec) []error {
	errs := p.Conditions.Check()
	if p.Objects > work.MaxObjects {
		errs = append(errs, (&work.Prepared{Objects: p.Objects}).Check()...)
	}
	if !p.replaces() && p.Access != (generator.Access{}) {
		errs = append(errs, option.Errorf("access", "every upload has a new key; add --objects=N to overwrite objects"))
	} else {
		errs = append(errs, p.Picks.Check(p.Objects, false)...)
	}
	switch {
	case p.Post && p.Presign:
		errs = append(errs, option.Errorf("post, presign", "use one of them"))
	case (p.Post || p.Presign) && (p.replaces() || p.Conditions.Any()):
		errs = append(errs, option.Errorf("post, presign", "not with --objects, --if-match or --if-none-match"))
	case p.replaces() && p.Verify:
		errs = append(errs, option.Errorf("verify", "not with --objects, which are overwritten by several threads"))
	case !p.replaces() && p.IfMatch != "":
		errs = append(errs, option.Errorf("if-match", "a new key has no ETag; add --objects=N to overwrite objects"))
	case p.Verify && p.Conditions.Any():
		errs = append(errs, option.Errorf("verify", "not with --if-match or --if-none-match"))
	case p.IfNoneMatch != "" && p.IfNoneMatch != "*":
		errs = append(errs, option.Invalid("if-none-match", p.IfNoneMatch, "* for uploads"))
	}
	return errs
}

// replaces reports whether objects are overwritten.
func (p *Put) replaces() bool { return p.Objects > 0 || p.Replace }

// Traits declares that objects are uploaded, or overwritten.
func (p *Put) Traits() work.Traits {
	t := work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Put}},
		Use:     work.Use{Access: p.Access},
		Sends:   work.Sends{SignedAhead: p.Post || p.Presign, If: p.Conditions},
	}
	switch {
	case p.Post:
		t.Kinds[0], t.Demands = op.Post, work.NewDemands(probe.Form)
	case p.Presign:
		t.Demands = work.NewDemands(probe.SignedPut)
	}
	if p.Verify {
		t.Kinds = append(t.Kinds, op.Get)
	}
	if t.AddsObjects = !p.replaces(); !t.AddsObjects {
		t.Objects, t.Effect, t.Rewrites, t.Picks, t.Pass = p.Objects, work.Changes, true, true, work.EachObject
	}
	return t
}

// Estimate returns the cost of uploads, and of the downloads that verify them.
func (p *Put) Estimate(t work.Turns) (c work.Cost) {
	switch {
	case p.replaces():
		c.Overwrite(t)
	case p.Post:
		c.Upload(op.Post, t)
	default:
		c.Upload(op.Put, t)
	}
	if p.Verify {
		c.Download(op.Get, t)
	}
	return c
}

// Do uploads one object, and reads it back to verify it.
func (p *Put) Do(ctx context.Context, w *work.Worker) error {
	if p.replaces() {
		return work.Overwrite(ctx, w, w.Pick())
	}
	switch {
	case p.Post:
		w.Auth = s3.AuthForm
	case p.Presign:
		w.Auth = s3.AuthQuery
	}
	i, err := w.PutNew(ctx)
	w.Auth = s3.AuthHeader
	if err != nil || !p.Verify {
		return err
	}
	return w.Get(ctx, w.Set.At(i), 0, 0, true)
}

// OverwriteOthers makes uploads overwrite objects of other workloads.
func (p *Put) OverwriteOthers() { p.Objects, p.Replace = 0, true }
