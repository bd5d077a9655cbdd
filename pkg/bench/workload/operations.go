package workload

import (
	"context"
	"flag"
	"maps"
	"math"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Operation is an additional operation of a mix. It changes nothing of the mix's objects but their tags.
type Operation struct {
	Name    string    // of its share and flag
	Kinds   []op.Kind // recorded
	Object  string    // what it does, for help
	Do      func(ctx context.Context, w *work.Worker, o dataset.Object) error
	InParts bool          // it transfers objects in parts, several at once
	Like    work.Workload // a workload with turns of the same cost
}

// Operations returns the additional operations of a mix.
func Operations(m *Mixed) []Operation {
	one := func(kind op.Kind) []op.Kind { return []op.Kind{kind} }
	copied := work.CopyNew
	copyParts := func(ctx context.Context, w *work.Worker, o dataset.Object) error {
		return w.CopyParts(ctx, o, &m.Parts)
	}
	getParts := func(ctx context.Context, w *work.Worker, o dataset.Object) error {
		return w.GetParts(ctx, o, &m.Parts, m.Verify)
	}
	getPresigned := func(ctx context.Context, w *work.Worker, o dataset.Object) error {
		w.Auth = s3.AuthQuery
		defer func() { w.Auth = s3.AuthHeader }()
		return w.Labelled("PRESIGN", func() error { return w.Get(ctx, o, 0, 0, m.Verify) })
	}
	head := func(ctx context.Context, w *work.Worker, _ dataset.Object) error {
		return (*HeadBucket)(nil).Do(ctx, w)
	}
	attributes, acl := NewSubresource(op.Attributes, ops.GetAttributes), NewSubresource(op.ACL, ops.GetACL)
	tags := func(get, put, remove work.Share) *Tag { return &Tag{GetShare: get, PutShare: put, DeleteShare: remove} }
	inCopies, inParts := &Copy{Parts: work.Parts{PartSize: max(1, m.PartSize)}}, &Get{Parts: work.Parts{PartSize: max(1, m.PartSize)}}
	return []Operation{
		{"list", one(op.List), "listings: one page of the prefix of an object", listPage, false, &List{MaxKeys: math.MaxInt}},
		{"copy", one(op.Copy), "copies by the server; they are not read, and deleted at the end", copied, false, &Copy{}},
		{"multipart-copy", inCopies.Traits().Kinds, "copies by the server in parts of --part.size", copyParts, true, inCopies},
		{"multipart-get", inParts.Traits().Kinds, "downloads in parts of --part.size, by ranges", getParts, true, inParts},
		{"presign-get", one(op.Get), "downloads by URLs signed in advance; recorded as GET:PRESIGN", getPresigned, false, &Get{Presign: true}},
		{"tag-get", one(op.GetTags), "requests for tags", GetTags, false, tags(1, 0, 0)},
		{"tag-put", one(op.PutTags), "requests that replace tags", PutTag, false, tags(0, 1, 0)},
		{"tag-delete", one(op.DeleteTags), "requests that remove tags", DeleteTags, false, tags(0, 0, 1)},
		{"attributes", one(op.Attributes), "requests for attributes", request(op.Attributes, ops.GetAttributes), false, attributes},
		{"acl", one(op.ACL), "requests for access control lists", request(op.ACL, ops.GetACL), false, acl},
		{"head-bucket", one(op.HeadBucket), "HEAD requests for the bucket", head, false, &HeadBucket{}},
	}
}

// request returns an operation of a single request.
func request(
	kind op.Kind, send func(context.Context, s3.Session, *s3.Call) error,
) func(context.Context, *work.Worker, dataset.Object) error {
	return func(ctx context.Context, w *work.Worker, o dataset.Object) error {
		return w.Request(ctx, kind, o, send)
	}
}

// listPage lists the first page of an object's prefix.
func listPage(ctx context.Context, w *work.Worker, o dataset.Object) error {
	return w.Op(ctx, op.List, func(rec *op.Op) error {
		l := ops.Listing{Prefix: w.Set.Keys.Dir(w.Set.DirOf(o.Index))}
		w.InBucket(o.Bucket, rec)
		err := ops.List(ctx, w.S3, &w.Call, &l)
		rec.Key, rec.Objects, rec.FirstByte = l.Prefix, len(l.Entries), w.Call.FirstByte
		return err
	})
}

// Flag returns the name of the flag of its share.
func (o *Operation) Flag() string { return o.Name + "-distrib" }

// Shares are the shares of operations and companions by name, zero by default.
type Shares map[string]*work.Share

// Bind binds the shares to flags.
func (s *Shares) Bind(fs *flag.FlagSet) {
	*s = Shares{}
	bind := func(name, flag, object string) {
		share := new(work.Share)
		(*s)[name] = share
		fs.Var(share, flag, "`SHARE` share of "+object)
	}
	for _, o := range Operations(&Mixed{}) {
		bind(o.Name, o.Flag(), o.Object)
	}
	for _, c := range companions {
		for _, share := range c.shares {
			bind(share.name, share.name+"-distrib", share.object)
		}
	}
}

// Of returns the share of an operation.
func (s Shares) Of(name string) work.Share {
	if share := s[name]; share != nil {
		return *share
	}
	return 0
}

// Check returns an error for each invalid share, and for each share of an unknown operation.
func (s Shares) Check() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		known := slices.ContainsFunc(Operations(&Mixed{}), func(o Operation) bool { return o.Name == name }) ||
			slices.ContainsFunc(companions, func(c companion) bool { return c.has(name) })
		if !known || s.Of(name).Check() != nil {
			errs = append(errs, option.Invalid(name+"-distrib", float64(s.Of(name)), "a number from 0, for an operation of this version"))
		}
	}
	return errs
}

// IsZero reports whether all are zero.
func (s Shares) IsZero() bool {
	for name := range s {
		if s.Of(name) != 0 {
			return false
		}
	}
	return true
}

// InParts reports whether an operation with a share transfers objects in parts.
func (s Shares) InParts() bool {
	return slices.ContainsFunc(Operations(&Mixed{}), func(o Operation) bool { return o.InParts && s.Of(o.Name) > 0 })
}

// Demands returns the demands of the operations with a share.
func (s Shares) Demands() (list []work.Demand) {
	for _, o := range Operations(&Mixed{}) {
		if s.Of(o.Name) == 0 {
			continue
		}
		for _, d := range o.Like.Traits().Demands {
			d.Flag = o.Flag()
			list = append(list, d)
		}
	}
	return list
}

// KindOfObject returns the kind that a workload records for an object: the whole transfer, if it is in parts.
func KindOfObject(w work.Workload) string {
	kinds := w.Traits().Kinds
	return string(kinds[max(0, slices.IndexFunc(kinds, op.Kind.IsComposite))])
}
