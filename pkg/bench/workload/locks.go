package workload

import (
	"flag"
	"time"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3/probe"
)

// Locking is the common part of the workloads that lock versions and read their locks: all but the requests.
type Locking struct {
	work.Prepared
	VersionParams
	Picks
	PutShare work.Share `json:"put_distrib"`
	GetShare work.Share `json:"get_distrib"`
	Size     int64      `json:"object_size,omitempty"` // of all objects; 0: the sizes are the data set's

	kinds work.Proportions
}

// Bind binds the shares to flags.
func (l *Locking) Bind(fs *flag.FlagSet, puts, gets string) {
	l.Picks.Bind(fs, DefaultAccess)
	l.PutShare, l.GetShare = 50, 50
	fs.Var(&l.PutShare, "put-distrib", "`SHARE` share of requests that "+puts+"; shares are parts of their sum")
	fs.Var(&l.GetShare, "get-distrib", "`SHARE` share of requests that "+gets)
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

// TraitsOf declares that operations of kind put lock versions, and operations of kind get read locks.
func (l *Locking) TraitsOf(put, get op.Kind, row *probe.Capability) work.Traits {
	t := work.Traits{
		Effect: work.Changes,
		Data: work.Data{
			Objects:  l.Objects,
			Versions: max(1, l.Versions),
			Size:     l.Size,
			Locks:    true,
		},
		Use:   work.Use{Access: l.Access, Pass: work.EachObject},
		Sends: work.Sends{Demands: []work.Demand{work.Lenient(row, "")}},
	}
	if l.PutShare > 0 {
		t.Kinds = append(t.Kinds, put)
	}
	if l.GetShare > 0 {
		t.Kinds = append(t.Kinds, get)
		t.Finishes = []op.Kind{put}
	}
	return t
}

// EstimateShares returns the requests of each kind.
func (l *Locking) EstimateShares(t work.Turns, put, get op.Kind) (c work.Cost) {
	c.Request(put, t.Of(l.PutShare, l.PutShare+l.GetShare).Count)
	c.Request(get, t.Of(l.GetShare, l.PutShare+l.GetShare).Count)
	return c
}

// Prepare sets up the sequence of kinds.
func (l *Locking) Prepare(set *dataset.DataSet, _ int) error {
	l.kinds = work.NewProportions(set.Seed(dataset.StreamKind), l.PutShare, l.GetShare)
	return nil
}

// Puts reports whether the turn locks a version, rather than reading its lock.
func (l *Locking) Puts(turn uint64) bool { return l.kinds.At(turn) == 0 }

// lockPeriod is the retention period of locked versions. The clean-up removes them earlier.
const lockPeriod = time.Hour
