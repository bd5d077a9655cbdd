package workload

import (
	"context"
	"flag"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var mixedInfo = work.Info{
	Name:  "mixed",
	Usage: "download, upload, delete and stat objects, all at once",
	Description: "Uploads --objects objects, then mixes operations on them, in the proportions of the --*-distrib " +
		"flags. Uploaded objects join the set and deleted ones leave it, so it grows while the share of PUT exceeds DELETE's.",
	Size:    "10MiB",
	Example: "--objects=500 --obj.size=1MiB --get-distrib=60 --stat-distrib=0 --put-distrib=20 --delete-distrib=20",
	New:     func() work.Workload { return &Mixed{} },
}

// Mixed performs several kinds of operations on the existing objects of a changing data set.
type Mixed struct {
	work.Prepared
	Picks
	Ranges
	work.Conditions
	work.Parts
	GetShare      work.Share `json:"get_distrib"`
	StatShare     work.Share `json:"stat_distrib"`
	PutShare      work.Share `json:"put_distrib"`
	PutPartsShare work.Share `json:"multipart_put_distrib,omitempty"`
	DeleteShare   work.Share `json:"delete_distrib"`
	Others        Shares     `json:"other_distribs,omitzero"`
	CompanionParams

	kinds  work.Proportions
	others []Operation
}

// Flags binds the parameters.
func (m *Mixed) Flags(fs *flag.FlagSet) {
	m.Bind(fs, 2500)
	fs.Var(&m.PutPartsShare, "multipart-put-distrib", "`SHARE` share of multipart uploads, in parts of --part.size")
	m.Others.Bind(fs)
	m.CompanionParams.Bind(fs)
	m.Parts.Bind(fs, 5<<20, 5, "with --multipart-*distrib: size of all parts of an object but the last")
	m.Conditions.Bind(fs)
}

// Bind binds the parameters of the four operations on whole objects, with a default of --objects.
func (m *Mixed) Bind(fs *flag.FlagSet, objects uint64) {
	m.Prepared.Bind(fs, objects, "")
	m.Picks.Bind(fs, "any, or that of get")
	m.Ranges.Bind(fs)
	m.GetShare, m.StatShare, m.PutShare, m.DeleteShare = 45, 30, 15, 10
	fs.Var(&m.GetShare, "get-distrib", "`SHARE` share of GET operations; shares are parts of their sum")
	fs.Var(&m.StatShare, "stat-distrib", "`SHARE` share of STAT operations")
	fs.Var(&m.PutShare, "put-distrib", "`SHARE` share of PUT operations")
	fs.Var(&m.DeleteShare, "delete-distrib", "`SHARE` share of DELETE operations, at most that of uploads")
}

// Validate checks the parameters.
func (m *Mixed) Validate(l work.Load, data generator.Spec) []error {
	errs := append(m.CheckMix(data), m.Parts.Check(l.Limits)...)
	switch {
	case len(errs) > 0 || !m.inParts():
		return errs
	case m.PutPartsShare > 0 && (m.IfMatch == work.Current || m.IfNoneMatch == work.Current):
		const text = "current: not with --multipart-put-distrib: the ETags of those objects are not kept"
		return []error{option.Errorf("if-match, if-none-match", text)}
	}
	return m.Parts.CheckSizes(l.Limits, data.Sizes)
}

// CheckMix returns errors for invalid parameters other than parts.
func (m *Mixed) CheckMix(data generator.Spec) []error {
	errs := append(m.Prepared.Check(), m.Ranges.Check(data, false)...)
	if errs = append(errs, m.Picks.Check(m.Objects, false)...); m.Access.Last > 0 && m.DeleteShare > 0 {
		errs = append(errs, option.Errorf("access", "range: deletions would empty it; want --delete-distrib=0"))
	}
	errs = slices.Concat(errs, m.Others.Check(), m.Conditions.Check())
	for _, s := range m.shares()[:mixOthers] {
		if err := s.share.Check(); err != nil {
			errs = append(errs, option.Invalid(s.flag, float64(s.share), "a number from 0"))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if len(m.Traits().Kinds) == 0 {
		const text = "all are 0, so there is nothing to do with the objects"
		return []error{option.Errorf("get-distrib, stat-distrib, put-distrib, delete-distrib", text)}
	}
	if m.DeleteShare > m.PutShare+m.PutPartsShare {
		return []error{option.Errorf("delete-distrib",
			"%v is more than the %v of --put-distrib, so objects would run out; lower it, or raise --put-distrib",
			m.DeleteShare, m.PutShare+m.PutPartsShare)}
	}
	return nil
}

// inParts reports whether objects are transferred in parts.
func (m *Mixed) inParts() bool { return m.PutPartsShare > 0 || m.Others.InParts() }

type kindShare struct {
	flag  string
	kinds []op.Kind
	share work.Share
}

// Indices in the list of shares.
const (
	mixGet = iota
	mixStat
	mixPut
	mixPutParts
	mixDelete
	mixOthers // and up: Operations
)

func (m *Mixed) shares() []kindShare {
	list := []kindShare{
		mixGet:      {"get-distrib", []op.Kind{op.Get}, m.GetShare},
		mixStat:     {"stat-distrib", []op.Kind{op.Stat}, m.StatShare},
		mixPut:      {"put-distrib", []op.Kind{op.Put}, m.PutShare},
		mixPutParts: {"multipart-put-distrib", (&MultipartPut{}).Traits().Kinds, m.PutPartsShare},
		mixDelete:   {"delete-distrib", []op.Kind{op.Delete}, m.DeleteShare},
	}
	for _, o := range Operations(m) {
		list = append(list, kindShare{o.Flag(), o.Kinds, m.Others.Of(o.Name)})
	}
	return list
}

// Traits declares that objects are uploaded and deleted. Clients can share a data set: each deletes only what it uploaded
// while measuring.
func (m *Mixed) Traits() work.Traits {
	t := work.Traits{
		Effect: work.Changes,
		Data:   work.Data{Objects: m.Objects, Checks: m.Verify},
		Use: work.Use{
			Access:      m.Access,
			Picks:       true,
			AddsObjects: m.PutShare+m.PutPartsShare > 0,
			NeedsOf:     m.needs,
		},
		Sends:   work.Sends{If: m.Conditions, Ranged: m.Ranges.Any() && m.GetShare > 0},
		Sharing: work.Sharing{Shares: true},
	}
	if m.DeleteShare > 0 {
		t.MaxDeletes = 1
	}
	t.If.Only = []op.Kind{op.Get, op.Stat}
	t.Demands = m.Others.Demands()
	for _, s := range m.shares() {
		for _, k := range s.kinds {
			if s.share > 0 && !slices.Contains(t.Kinds, k) {
				t.Kinds = append(t.Kinds, k)
			}
		}
	}
	if m.inParts() {
		t.Rare, t.Lanes = []op.Kind{op.AbortUpload}, m.Concurrency
	}
	return t
}

// Estimate returns the cost of the mix's own operations.
func (m *Mixed) Estimate(t work.Turns) (c work.Cost) {
	all, _ := m.Companions()
	c.Ranges(m.All(), t.Of(m.GetShare, all))
	c.Request(op.Stat, t.Of(m.StatShare, all).Count)
	c.Upload(op.Put, t.Of(m.PutShare, all))
	if m.PutPartsShare > 0 {
		c.Parts(op.PutPart, &m.Parts, t.Of(m.PutPartsShare, all))
	}
	c.Request(op.Delete, t.Of(m.DeleteShare, all).Count)
	for _, o := range Operations(m) {
		if share := m.Others.Of(o.Name); share > 0 {
			c.Join(work.EstimateTurns(o.Like, t.Of(share, all)))
		}
	}
	return c
}

// Prepare sets up the sequence of kinds.
func (m *Mixed) Prepare(set *dataset.DataSet, _ int) error {
	m.kinds, m.others = m.proportions(set.Seed(dataset.StreamKind)), Operations(m)
	return nil
}

// Examine makes sure that the server copies ranges of objects, if they are copied in parts.
func (m *Mixed) Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, bucket string) error {
	if m.Others.Of("multipart-copy") == 0 {
		return nil
	}
	return (&Copy{Parts: m.Parts}).Examine(ctx, sess, set, bucket)
}

func (m *Mixed) proportions(seed uint64) work.Proportions {
	var shares []work.Share
	for _, s := range m.shares() {
		shares = append(shares, s.share)
	}
	return work.NewProportions(seed, shares...)
}

// needs returns the needs of a turn, by its kind.
func (m *Mixed) needs(turn uint64) (picks bool, takes uint64) {
	switch m.kinds.At(turn) {
	case mixPut, mixPutParts:
		return false, 0
	case mixDelete:
		return false, 1
	}
	return true, 0
}

// Do performs an operation of the turn's kind; without an object for it, an upload.
func (m *Mixed) Do(ctx context.Context, w *work.Worker) error {
	kind := m.kinds.At(w.Turn.N)
	switch {
	case kind == mixPut || kind == mixPutParts || !w.Found():
		return m.put(ctx, w, kind == mixPutParts || m.PutShare == 0)
	case kind == mixGet:
		return m.Get(ctx, w, w.Pick())
	case kind == mixStat:
		return w.Stat(ctx, w.Pick())
	case kind == mixDelete:
		return w.Delete(ctx, w.Deletions()[0])
	}
	return m.others[kind-mixOthers].Do(ctx, w, w.Pick())
}

// put uploads a new object.
func (m *Mixed) put(ctx context.Context, w *work.Worker, inParts bool) (err error) {
	if inParts {
		_, err = w.PutNewParts(ctx, &m.Parts)
	} else {
		_, err = w.PutNew(ctx)
	}
	return err
}
