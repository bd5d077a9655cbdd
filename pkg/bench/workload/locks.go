package workload

import (
	"context"
	"flag"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

// Locking locks versions and reads their locks.
type Locking struct {
	work.Prepared
	VersionParams
	Picks
	PutShare work.Share `json:"put_distrib"`
	GetShare work.Share `json:"get_distrib"`
	Size     int64      `json:"object_size,omitempty"` // of all objects; 0: the sizes are the data set's

	lock  *lock
	kinds work.Proportions
}

// lock is a way to lock versions.
type lock struct {
	put, get op.Kind
	row      *probe.Capability

	objects, versions      uint64     // defaults of flags
	reads                  work.Share // default, in percent
	versionUse, puts, gets string     // for help

	write func(ctx context.Context, w *work.Worker, o dataset.Object, pass uint64) error // pass: over the data set, from 0
	read  func(ctx context.Context, w *work.Worker, o dataset.Object) error
}

// Flags binds the parameters.
func (l *Locking) Flags(fs *flag.FlagSet) {
	l.Prepared.Bind(fs, l.lock.objects, "")
	fs.Uint64Var(&l.Versions, "versions", l.lock.versions,
		"`N` versions of each object to upload and "+l.lock.versionUse+" by their IDs")
	l.Picks.Bind(fs, DefaultAccess)
	l.PutShare, l.GetShare = 100-l.lock.reads, l.lock.reads
	fs.Var(&l.PutShare, "put-distrib", "`SHARE` share of requests that "+l.lock.puts)
	fs.Var(&l.GetShare, "get-distrib", "`SHARE` share of requests that "+l.lock.gets)
}

// Validate checks the parameters.
func (l *Locking) Validate(work.Load, generator.Spec) []error {
	errs := append(l.Prepared.Check(), l.VersionParams.Check(l.Objects)...)
	errs = append(errs, l.Picks.Check(l.Objects*max(1, l.Versions), false)...)
	if l.PutShare+l.GetShare == 0 {
		errs = append(errs, option.Errorf("get-distrib, put-distrib", "both are 0, so there is nothing to do"))
	}
	return errs
}

// Traits declares that versions are locked.
func (l *Locking) Traits() work.Traits {
	t := work.Traits{
		Effect: work.Changes,
		Data: work.Data{
			Objects:  l.Objects,
			Versions: max(1, l.Versions),
			Size:     l.Size,
			Locks:    true,
		},
		Use:   work.Use{Access: l.Access, Pass: work.EachObject},
		Sends: work.Sends{Demands: []work.Demand{work.Lenient(l.lock.row, "")}},
	}
	if l.PutShare > 0 {
		t.Kinds = append(t.Kinds, l.lock.put)
	}
	if l.GetShare > 0 {
		t.Kinds = append(t.Kinds, l.lock.get)
		t.Finishes = []op.Kind{l.lock.put}
	}
	return t
}

// Estimate returns the requests of each kind.
func (l *Locking) Estimate(t work.Turns) (c work.Cost) {
	c.Request(l.lock.put, t.Of(l.PutShare, l.PutShare+l.GetShare).Count)
	c.Request(l.lock.get, t.Of(l.GetShare, l.PutShare+l.GetShare).Count)
	return c
}

// Prepare sets up the sequence of kinds.
func (l *Locking) Prepare(set *dataset.DataSet, _ int) error {
	l.kinds = work.NewProportions(set.Seed(dataset.StreamKind), l.PutShare, l.GetShare)
	return nil
}

// Finish locks an uploaded version, since a version that never had a lock has none to read.
func (l *Locking) Finish(ctx context.Context, w *work.Worker, o dataset.Object) error {
	return l.lock.write(ctx, w, o, 0)
}

// Do performs the request that is due in this turn.
func (l *Locking) Do(ctx context.Context, w *work.Worker) error {
	o := w.Set.Pick(w.Turn.N)
	if l.kinds.At(w.Turn.N) == 0 {
		return l.lock.write(ctx, w, o, w.Turn.N/w.Set.Len())
	}
	return l.lock.read(ctx, w, o)
}
