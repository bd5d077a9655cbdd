package workload

import (
	"context"
	"flag"
	"slices"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

var statInfo = work.Info{
	Name:  "stat",
	Usage: "request information about objects (HEAD)",
	Description: "Uploads --objects objects, then requests their properties, in get's order. With --versions each " +
		"version counts as an object.",
	Size:    "1KB",
	Example: "--objects=10000 --duration=1m",
	New:     func() work.Workload { return &Stat{} },
}

// Stat requests the properties of objects.
type Stat struct {
	work.Prepared
	VersionParams
	work.Existing
	Picks
	work.Conditions
}

// Flags binds the parameters.
func (s *Stat) Flags(fs *flag.FlagSet) {
	s.Prepared.Bind(fs, 10000, work.OrExisting)
	s.VersionParams.Bind(fs, 1, "look up by their IDs")
	s.Existing.Bind(fs)
	s.Picks.Bind(fs, DefaultAccess)
	s.Conditions.Bind(fs)
}

// Validate checks the parameters.
func (s *Stat) Validate(work.Load, generator.Spec) []error {
	return slices.Concat(
		s.Prepared.CheckExisting(s.ListExisting), s.VersionParams.Check(s.Objects),
		s.Picks.Check(s.Objects*max(1, s.Versions), s.ListExisting), s.Conditions.Check(),
	)
}

// Traits declares that objects are only read.
func (s *Stat) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.Stat}},
		Data: work.Data{
			Objects:  s.Objects,
			Versions: s.Each(),
			Existing: s.ListExisting,
			Flat:     s.ListFlat,
		},
		Use:     work.Use{Access: s.Access, Picks: true, Pass: work.EachObject},
		Sends:   work.Sends{If: s.Conditions},
		Sharing: work.Sharing{Shares: true},
	}
}

// Do requests the properties of one object.
func (s *Stat) Do(ctx context.Context, w *work.Worker) error {
	return w.Stat(ctx, w.Pick())
}
