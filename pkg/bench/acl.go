package bench

import (
	"context"
	"flag"

	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var aclInfo = Info{
	Name:        "acl",
	Usage:       "benchmark requests for the access control lists of objects",
	Description: "Uploads --objects objects, then requests their access control lists (GetObjectAcl) for --duration, in the order that get uses.",
	Size:        "1KB",
	Example:     "--objects=10000 --duration=1m",
	New:         func() Workload { return &ACL{} },
}

// ACL requests the access control lists of objects.
type ACL struct {
	Prepared
	Existing
	Picks
}

// Flags binds the parameters.
func (a *ACL) Flags(fs *flag.FlagSet) {
	a.Prepared.Bind(fs, 10000, OrExisting)
	a.Existing.Bind(fs)
	a.Picks.Bind(fs, generator.AccessForms, UsualAccess)
}

// Validate checks the parameters.
func (a *ACL) Validate(*Stream, generator.Spec) []error {
	return append(a.Prepared.Check(), a.Picks.Check(a.Objects, a.ListExisting)...)
}

// Traits declares that objects are only read.
func (a *ACL) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.ACL}, Effect: Reads, Objects: a.Objects, Existing: a.ListExisting, Flat: a.ListFlat, Shares: true, Access: a.Access, Probe: a.Probe}
}

// Do requests those of one object.
func (a *ACL) Do(ctx context.Context, w *Worker) error {
	return w.Request(ctx, op.ACL, w.Set.Pick(w.Turn.N), s3.GetACL)
}

// Probe makes sure that the server sends them.
func (a *ACL) Probe(ctx context.Context, p *Probe) error {
	return s3.GetACL(ctx, p.S3, p.Call())
}
