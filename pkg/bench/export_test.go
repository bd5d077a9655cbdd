package bench

import (
	"context"
	"testing"
	"time"

	"warp/pkg/bench/work"
)

// Perform compiles a plan and makes the whole run.
func Perform(ctx context.Context, p *Plan, env Env) (*Result, error) {
	c, err := Compile(p)
	if err != nil {
		return nil, err
	}
	r, err := Prepare(ctx, c, env)
	if err != nil {
		return nil, err
	}
	res, err := r.Measure(ctx)
	return res, r.Cleanup(ctx, err)
}

// Decoded decodes a plan.
func Decoded(t testing.TB, p *Plan) *Compiled {
	c, err := Decode(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// KeyOf returns the key of an object of the first data set of a plan.
func KeyOf(t testing.TB, p *Plan, i uint64) string {
	c := Decoded(t, p)
	return c.keys(c.sets[0], 0).Key(i)
}

// serial panics in a parallel test, since others would see what the test changes: Setenv does so.
func serial(t testing.TB) { t.Setenv("WARP_TEST_SERIAL", "1") }

// Register adds a workload for the time of a test.
func Register(t testing.TB, i work.Info) {
	serial(t)
	t.Cleanup(work.Register(i))
}

// ShortenCleanup shortens the pauses of a clean-up whose requests fail.
func ShortenCleanup(t testing.TB, wait time.Duration) {
	serial(t)
	before := work.RetryWait
	work.RetryWait = wait
	t.Cleanup(func() { work.RetryWait = before })
}

// Add adds a workload to the registry for all tests.
func Add(i work.Info) { work.Register(i) }

// NeedsFeatures reports whether a workload needs a bucket with features.
func NeedsFeatures(t testing.TB, workload string) bool {
	info, ok := work.Lookup(workload)
	if !ok {
		t.Fatalf("no workload %q", workload)
	}
	traits := info.Default().Traits()
	return len(traits.Features()) > 0
}

// WaitingText is what is said while operations are in flight and no more begin.
var WaitingText = waitingText
