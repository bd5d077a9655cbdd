package work_test

import (
	"context"
	"flag"
	"strings"
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// broken is a workload that panics.
type broken struct{ inPrepare bool }

func (*broken) Flags(*flag.FlagSet) {}

func (*broken) Do(context.Context, *work.Worker) error { panic("it is broken") }

func (*broken) Traits() work.Traits {
	return work.Traits{Effect: work.Adds, Records: work.Records{Kinds: []op.Kind{op.Put}}}
}

func (b *broken) Prepare(*dataset.DataSet, int) error {
	if b.inPrepare {
		panic("it is broken")
	}
	return nil
}

func TestPanicEndsTheRunAlone(t *testing.T) {
	workers := []*work.Worker{{}, {ID: 1}}
	_, err := load.Run(t.Context(), load.Options{Concurrency: 2}, func(ctx context.Context, turn load.Turn) error {
		return workers[turn.Worker].Perform(ctx, turn, (&broken{}).Do)
	})
	if !work.IsFault(err) || !strings.Contains(err.Error(), "it is broken") || !strings.Contains(err.Error(), "fault_test.go") {
		t.Errorf("an operation that panics ends the run with %v", err)
	}
	err = work.Guard(func() error { return (&broken{inPrepare: true}).Prepare(nil, 1) })
	if !work.IsFault(err) {
		t.Errorf("a preparation that panics ends with %v", err)
	}
}
