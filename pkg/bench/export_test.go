package bench

import (
	"context"
	"testing"
	"time"

	"warp/pkg/generator"
	"warp/pkg/load"
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

// Register adds a workload for the time of a test.
func Register(t testing.TB, i Info) {
	before := registry
	registry = append(Registry(), i)
	t.Cleanup(func() { registry = before })
}

// ShortenCleanup shortens the pauses of a clean-up whose requests fail.
func ShortenCleanup(t testing.TB, wait time.Duration) {
	before := retryWait
	retryWait = wait
	t.Cleanup(func() { retryWait = before })
}

// Add adds a workload to the registry for all tests.
func Add(i Info) { registry = append(Registry(), i) }

// NeedsFeatures reports whether a workload needs a bucket with features.
func NeedsFeatures(t testing.TB, workload string) bool {
	info, ok := Lookup(workload)
	if !ok {
		t.Fatalf("no workload %q", workload)
	}
	traits := info.Default().Traits()
	return len(traits.features()) > 0
}

// Sequence returns the objects of the first turns of a client that shares a thousand objects with others.
func Sequence(t testing.TB, access string, share load.Share, turns uint64) (indices []uint64) {
	p, err := generator.ParseAccess(access)
	if err != nil {
		t.Fatal(err)
	}
	a := newAccess(1000, 0, share.Index)
	a.follow(p, 7, share)
	for turn := range turns {
		indices = append(indices, a.Index(turn))
	}
	return indices
}

// SequenceAmong returns what the first turns use of n things that are no objects; an empty pattern is the usual one.
func SequenceAmong(t testing.TB, access string, n, turns uint64) (places []uint64) {
	var p generator.Access
	if err := p.UnmarshalText([]byte(access)); err != nil {
		t.Fatal(err)
	}
	a := newAccess(1, 0, 3)
	a.follow(generator.Access{}, 3, whole)
	of := a.Among(n, p)
	for turn := range turns {
		places = append(places, of.Index(turn))
	}
	return places
}

// Settings is what is known of objects.
type Settings struct{ settings }

// Do sets a value of object i by a request.
func (s *Settings) Do(i uint64, value int64, send func() error) error {
	return s.change(i, value, send)
}

// Change sets a value of object i by a request with an error.
func (s *Settings) Change(i uint64, value int64, err error) error {
	return s.change(i, value, func() error { return err })
}

// Known returns what a response about object i must state, after what happened meanwhile; -1: it is not known.
func (s *Settings) Known(i uint64, meanwhile func()) int64 {
	was := s.last(i)
	if meanwhile(); was.still() {
		return was.value
	}
	return -1
}

// WaitingText is what is said while operations are in flight and no more begin.
var WaitingText = waitingText
