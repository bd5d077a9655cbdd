// Package benchtest has what tests of the packages below bench share.
package benchtest

import (
	"context"
	"testing"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// Set returns a data set of random contents, without objects.
func Set(t testing.TB, seed, objects uint64, threads int, spec generator.Spec) *dataset.DataSet {
	t.Helper()
	if spec.Generator == "" {
		spec.Generator = "random"
	}
	if spec.Sizes.Max == 0 {
		spec.Sizes.Max = 1000
	}
	layout, err := dataset.NewLayout(spec, generator.NewKeys(spec, seed, threads), seed, seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	set := dataset.New(layout, dataset.Options{Part: dataset.SoleClient, Capacity: &dataset.Capacity{}})
	return set.View(dataset.NewAccess(objects, 0, seed))
}

// ChangingSet returns a changing data set with some existing objects.
func ChangingSet(t testing.TB, objects, exist uint64) *dataset.DataSet {
	t.Helper()
	set := dataset.New(Set(t, 1, objects, 1, generator.Spec{}).Layout, dataset.Options{
		Part:      dataset.SoleClient,
		Capacity:  &dataset.Capacity{},
		Inventory: true,
		Taken:     true,
	})
	for range exist {
		set.Settle(set.New(), true)
	}
	return set
}

// Instant is a session with immediate success of all requests.
type Instant struct{ connect.Fake }

// Do succeeds.
func (Instant) Do(_ context.Context, c *s3.Call) error {
	c.Status, c.Start = 200, clock.Now()
	return nil
}

// Kept is a sink that keeps all operations.
type Kept struct{ Ops []op.Op }

// Write keeps operations.
func (k *Kept) Write(ops []op.Op) error { k.Ops = append(k.Ops, ops...); return nil }

// Close does nothing.
func (*Kept) Close() error { return nil }

// Worker returns a worker on 100 objects, with immediate success of all requests.
func Worker(t testing.TB, o work.Options, records *op.Collector, lanes int, kinds ...op.Kind) *work.Worker {
	t.Helper()
	buffers := make([]*op.WorkerBuf, lanes)
	for i := range buffers {
		buffers[i] = records.Worker()
	}
	return WorkerOf(t, o, buffers, kinds...)
}

// WorkerOf is Worker with a lane for each buffer of records.
func WorkerOf(t testing.TB, o work.Options, buffers []*op.WorkerBuf, kinds ...op.Kind) *work.Worker {
	t.Helper()
	if o.Set == nil {
		o.Set = Set(t, 1, 100, 1, generator.Spec{})
	}
	o.Kinds = kinds
	var all []work.Lane
	for i, b := range buffers {
		all = append(all, work.Lane{Thread: uint32(i), Session: Instant{}, Records: b})
	}
	return work.New(0, &o, all...)
}
