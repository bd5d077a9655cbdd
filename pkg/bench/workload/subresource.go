package workload

import (
	"context"
	"flag"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

// Subresource requests a subresource of objects.
type Subresource struct {
	work.Prepared
	work.Existing
	Picks

	kind    op.Kind
	request func(ctx context.Context, sess s3.Session, c *s3.Call) error
}

// NewSubresource returns a workload that sends requests of a kind.
func NewSubresource(kind op.Kind, request func(context.Context, s3.Session, *s3.Call) error) *Subresource {
	return &Subresource{kind: kind, request: request}
}

// Flags binds the parameters.
func (r *Subresource) Flags(fs *flag.FlagSet) {
	r.Prepared.Bind(fs, 10000, work.OrExisting)
	r.Existing.Bind(fs)
	r.Picks.Bind(fs, DefaultAccess)
}

// Validate checks the parameters.
func (r *Subresource) Validate(work.Load, generator.Spec) []error {
	return append(r.Prepared.CheckExisting(r.ListExisting), r.Picks.Check(r.Objects, r.ListExisting)...)
}

// Traits declares that objects are only read.
func (r *Subresource) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{r.kind}},
		Data:    work.Data{Objects: r.Objects, Existing: r.ListExisting, Flat: r.ListFlat},
		Use:     work.Use{Access: r.Access, Picks: true, Pass: work.EachObject},
		Sends:   work.Sends{Demands: r.demands()},
		Sharing: work.Sharing{Shares: true},
	}
}

// Do requests the subresource of one object.
func (r *Subresource) Do(ctx context.Context, w *work.Worker) error {
	return w.Request(ctx, r.kind, w.Pick(), r.request)
}

// demands returns the need for the subresource.
func (r *Subresource) demands() []work.Demand {
	return work.NewDemands(&probe.Capability{Try: func(ctx context.Context, o *probe.Object) error { return r.request(ctx, o.S3, o.Call()) }})
}
