package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// claimFacts is the content of a claim.
type claimFacts struct {
	Run   string    `json:"run"`
	Begun time.Time `json:"begun"`
	Made  bool      `json:"made_bucket,omitempty"` // the run made the bucket
	Keys  string    `json:"keys,omitempty"`        // form of the keys, if names do not depend on the seed alone
	Names string    `json:"names,omitempty"`       // equal if runs give each object the same key and bucket, see namesOf

	State   claimState `json:"state,omitempty"`
	Objects uint64     `json:"objects,omitempty"` // with claimKept: the indices of all objects are below

	Planned   time.Duration `json:"planned_ns,omitempty"` // duration of the run from then on
	Recording string        `json:"recording,omitempty"`  // its place, see recording.Place
}

// claimState is the state of a claim's run.
type claimState string

const (
	claimUnstated claimState = "" // by an older version
	claimRunning  claimState = "running"
	claimKept     claimState = "kept" // the run has ended, and kept its objects
)

// namesOf identifies keys and buckets of a data set's objects.
func namesOf(set *dataset.DataSet) string {
	const sample = 16
	sum := fnv.New64a()
	fmt.Fprintln(sum, set.Buckets())
	for i := range uint64(sample) {
		fmt.Fprintln(sum, set.BucketOf(i), set.Keys.Key(i))
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}

// claimMargin is added to the planned duration of a run, for preparation, clean-up and retries.
const claimMargin = 10 * time.Minute

// latestEnd returns the time when the run of a claim must have ended.
func (f *claimFacts) latestEnd() time.Time { return f.Begun.Add(f.Planned + claimMargin) }

// over reports whether the run of a claim has ended or must have ended by a time.
func (f *claimFacts) over(now time.Time) bool {
	return f.State == claimKept || f.Planned == 0 || now.After(f.latestEnd())
}

// foreignClaim is a claim of another run.
type foreignClaim struct {
	key string
	claimFacts
	err error // of reading it
}

// readClaim reads a claim.
func readClaim(ctx context.Context, sess s3.Session, key string) *foreignClaim {
	var got bytes.Buffer
	c := &foreignClaim{key: key}
	c.err = work.RetryTemporary(ctx, func() error {
		got.Reset()
		return ops.Get(ctx, sess, &s3.Call{Size: -1, Key: key, Into: &got})
	})
	if c.err == nil {
		c.err = json.Unmarshal(got.Bytes(), &c.claimFacts)
	}
	return c
}

// status describes the state of the claim's run for a run that began at a time.
func (c *foreignClaim) status(begun time.Time) string {
	switch {
	case c.err != nil:
		return "it is under way, begins at this moment too, was killed, or kept its objects"
	case c.State == claimKept:
		return "it kept its objects"
	case c.over(clock.Now()) && c.State == claimUnstated && c.Keys != "":
		return "it was killed, or kept its objects"
	case c.over(clock.Now()):
		return "it was killed"
	case !c.Begun.Before(begun):
		return "it begins at this moment too, or was killed"
	}
	return fmt.Sprintf("it began at %s and is under way until %s at the latest, or was killed",
		c.Begun.Format(time.RFC3339), c.latestEnd().Format(time.RFC3339))
}
