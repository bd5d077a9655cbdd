package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// claims mark the names of a run's objects as taken.
type claims struct {
	plan    *Compiled
	sets    []*dataset.DataSet          // of the plan
	session func(thread int) s3.Session // for requests that are not measured
	bucket  *preflight.Bucket
	number  int // of the bucket
	threads int
	run     string // id of the run, see Plan.RunID
	made    bool   // the run made the bucket
	others  bool   // another run with the seed made it
	probe   string // beginning of the names of the preflight's objects
	// unlisted: the server drops empty parts between slashes, so that names are found by themselves, but in no listing
	unlisted bool
	stay     bool // if objects stay, so do claims on names that prove nothing

	recording string // its place

	keys    map[*dataset.DataSet]string // of the claims that were put
	begun   time.Time                   // when the last one was put
	earlier map[*dataset.DataSet]*keptObjects
}

// keptObjects are objects that earlier runs kept, and that the run may overwrite: Spec.OverwriteKept.
type keptObjects struct {
	claims []string // keys of the earlier runs' claims
	end    uint64   // the indices of all objects are below
	made   bool     // one of the earlier runs made the bucket
	ours   bool     // this run's claim replaces theirs
}

// claimAll takes the names of all data sets that the run makes.
func (c *claims) claimAll(ctx context.Context) error {
	for i, set := range c.plan.sets {
		if !set.makes {
			continue
		}
		if err := c.claim(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// any reports whether the run has claims.
func (c *claims) any() bool {
	return len(c.keys) > 0
}

// claim claims the names of a data set. It checks only afterwards that the names are free, so if two runs begin at the same time, at
// least one finds the other's claim.
func (c *claims) claim(ctx context.Context, i int) error {
	set := c.sets[i]
	c.begun = clock.Now().Round(time.Millisecond).UTC()
	c.keys[set] = c.newName(set)
	err := work.RetryTemporary(ctx, func() error { return c.put(ctx, set, c.facts(set)) })
	switch {
	case s3.AsError(err).Status == http.StatusForbidden:
		delete(c.keys, set) // writing a claim is not permitted, so looking must suffice
	case err != nil:
		return fmt.Errorf("claim the names of seed %d: %w", c.plan.Seed, err)
	}
	if c.plan.Force {
		_ = c.checkClaims(ctx, i) // notes what earlier runs kept
		return nil
	}
	return c.checkUnused(ctx, i)
}

// facts returns the content of a claim of this run.
func (c *claims) facts(set *dataset.DataSet) claimFacts {
	return claimFacts{
		Run:       c.run,
		Begun:     c.begun,
		Made:      c.made,
		Keys:      set.Keys.KeyForm(),
		Names:     namesOf(set),
		State:     claimRunning,
		Planned:   c.plan.PlannedLength(),
		Recording: c.recording,
	}
}

// put puts the claim on a data set.
func (c *claims) put(ctx context.Context, set *dataset.DataSet, facts claimFacts) error {
	text, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	call := s3.Call{Key: c.keys[set], Body: bytes.NewReader(text), Size: int64(len(text))}
	err = preflight.PutWithGrace(ctx, c.session(0), &call)
	if call.VersionID != "" {
		set.NoteVersions()
	}
	return err
}

// prefix returns the prefix of this run's claims on a data set; the base names of its preflight objects begin with the same.
func (c *claims) prefix(set *dataset.DataSet) string { return set.Keys.Claims() + c.run + "." }

// madeMark is in the names of claims and preflight objects of a run that made the bucket. A listing shows it at once: a claim may be gone
// before it can be read.
const madeMark = ".made-"

// newName returns a name for a claim, or the beginning of preflight objects' names.
func (c *claims) newName(set *dataset.DataSet) string {
	if c.made {
		return strings.TrimSuffix(c.prefix(set), ".") + madeMark + randomText()
	}
	return c.prefix(set) + randomText()
}

// remove removes the run's claims, after everything else of its seed. With --force it also removes the claims of other runs, since their
// objects are deleted too, and after the loss of a client that client's claims.
func (c *claims) remove(ctx context.Context, rm *remover, lost bool) {
	sess, all := rm.sessions[0], func(string) bool { return true }
	if rm.known || rm.versions { // the preflight's deletions may have left markers
		rm.sweepPrefix(ctx, sess, leftClaim, c.probe+".", rm.versions, all)
	}
	for i, set := range c.sets {
		prefix := c.removable(i, lost)
		switch {
		case c.stays(i):
			c.markKept(ctx, rm, i, lost)
		case prefix == "":
		case rm.versions || prefix != c.keys[set]:
			rm.sweepPrefix(ctx, sess, leftClaim, prefix, rm.versions, all)
		default:
			rm.delete(ctx, sess, leftClaim, []ops.ObjectID{{Key: prefix}})
		}
	}
}

// removable returns the prefix of the claims on a data set to remove; empty without any.
func (c *claims) removable(i int, lost bool) string {
	switch set := c.sets[i]; {
	case c.stays(i):
		return ""
	case c.plan.Force && (c.keys[set] != "" || c.stay || lost):
		return set.Keys.Claims()
	case lost:
		return c.prefix(set)
	default:
		return c.keys[set]
	}
}

// removeUnused removes the bucket of a refused run if that run made it. An empty bucket of another run is removed too: if both runs are
// refused, the other could not remove it because of this run's claim. A run that goes on has its claim in the bucket, and stores do not
// remove a bucket with contents.
func (c *claims) removeUnused(ctx context.Context) error {
	empty := func() bool {
		return searchListing(ctx, c.session(0), ops.Listing{Flat: true}, func(string) bool { return true }) == nil
	}
	switch {
	case c.made:
		if err := c.bucket.Remove(ctx); err != nil {
			return fmt.Errorf("the run made bucket %q, which cannot be removed now: %w", c.bucket.Name(), err)
		}
	case c.others && empty():
		_ = c.bucket.Remove(ctx) // up to the other run, if that goes on
	}
	return nil
}

// randomText returns random characters for a name.
func randomText() string { return strconv.FormatUint(rand.Uint64(), 36) }
