package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// Cleanup removes the objects, uploads and claims that a run left in its bucket, because it was killed or kept its data. Its plan
// determines their names.
type Cleanup struct {
	Plan     *Compiled // or decoded only
	Target   s3.Config // of the store
	Store    s3.Store
	Threads  int            // at once
	Clients  uint64         // of the run; 0: one
	Client   *uint64        // only this client's part; nil: all clients
	Any      int            // threads unknown: search rows of this many prefixes until one is empty; 0: as in the plan
	Over     bool           // the run has ended: its recording says so
	Place    string         // of its recording, see recording.Place, which no process holds; empty: unknown
	Force    bool           // also remove the objects of another run with the same seed
	Show     func(Leftover) // called instead of removing anything, never concurrently; nil: remove
	Observer Observer       // may be nil
}

// Cleaned counts what a Cleanup removed, or would remove. Each version and each delete marker of an object counts.
type Cleaned struct {
	Objects, Uploads, Claims uint64
	Extra                    uint64 // buckets, see ExtraBuckets
	Bucket                   bool
}

// Run performs the clean-up.
func (cl *Cleanup) Run(ctx context.Context) (*Cleaned, error) {
	if cl.Observer == nil {
		cl.Observer = silent{}
	}
	done := &Cleaned{}
	if cl.Plan.readsOnly() {
		return done, nil
	}
	sessions := make([]s3.Session, max(1, cl.Threads))
	for thread := range sessions {
		sessions[thread] = cl.Store.Session(thread)
	}
	for n := range max(1, cl.Plan.Target.Buckets) {
		session := func(thread int) s3.Session { return unmeasuredAt(sessions[thread], cl.Target, n) }
		rm := newRemover(preflight.OpenNumber(cl.Store, n), len(sessions), session, cl.Show)
		if err := cl.clean(ctx, rm, n, done); err != nil {
			return done, err
		}
	}
	return done, removeLeftExtra(ctx, cl, sessions, done)
}

// clean removes what is left in one bucket.
func (cl *Cleanup) clean(ctx context.Context, rm *remover, bucket int, done *Cleaned) error {
	cleaners := cl.cleaners(rm, bucket)
	made := false
	for _, c := range cleaners {
		byIt, err := cl.claims(ctx, c)
		if err != nil {
			return err
		}
		made = made || byIt
	}
	for _, c := range cleaners {
		if err := cl.unclaimed(ctx, c); err != nil {
			return err
		}
	}
	cl.Observer.Stage(Stage{Name: StageCleanup, Workload: cl.Plan.Title(), Start: clock.Now(), Done: rm.removed[leftObject].Load})
	_, _ = rm.bucket.AskAccount(ctx) // without the right to ask, requests show what the account lacks
	rm.detectVersions(ctx, cleaners[0].keys.Claims(), true)
	var places []spot
	for _, c := range cleaners {
		cl.remove(ctx, c)
		places = append(places, cl.places(c)...)
	}
	rm.confirmEmpty(ctx, places)
	for _, c := range cleaners {
		rm.removeDirectories(ctx, c.keys)
	}
	rm.remark(cl.Observer)
	done.Objects += rm.removed[leftObject].Load()
	done.Uploads += rm.removed[leftUpload].Load()
	done.Claims += rm.removed[leftClaim].Load()
	err := errors.Join(rm.failure(cleaners[0].keys.Root()), context.Cause(ctx))
	if made && err == nil {
		done.Bucket = rm.removeBucket(ctx, cl.Observer) || done.Bucket
	}
	return err
}

// cleaners returns a cleaner for each data set of the run in a bucket.
func (cl *Cleanup) cleaners(rm *remover, bucket int) (list []*cleaner) {
	p := cl.Plan
	p.eachSet(cl.Clients, cl.Client, func(set *setPlan, share uint64) {
		c := &cleaner{remover: rm, keys: p.keys(set, share).InBucket(bucket), locked: set.locks}
		c.mine = func(i uint64) bool { return !p.SharedData || cl.Client == nil || i%max(1, cl.Clients) == *cl.Client }
		list = append(list, c)
	})
	return list
}

// claims reads the claims on a data set. It reports whether one says that the run made the bucket. A claim of another run is an error,
// since its objects have the same names.
func (cl *Cleanup) claims(ctx context.Context, c *cleaner) (made bool, err error) {
	var foreign string
	var young *foreignClaim
	err = work.RetryTemporary(ctx, func() error {
		return pages(ctx, c.sessions[0], ops.Listing{Prefix: c.keys.Claims()}, func(e ops.Entry) bool {
			if !cl.own(c, e.Key) {
				foreign = e.Key
				return cl.Force
			}
			c.claimed = true
			claim := readClaim(ctx, c.sessions[0], e.Key)
			if cl.underWay(&claim.claimFacts) {
				young = claim
				return false
			}
			made = made || claim.Made
			return true
		})
	})
	switch {
	case s3.NoBucket(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for claims of the run: %w", err)
	case young != nil:
		return false, fmt.Errorf("bucket %q holds a claim of this run from %s, which may be under way on another machine until %s: wait, "+
			"clean up with the recording where the run made it, or use --force if the run is over",
			c.bucket.Name(), young.Begun.Format(time.RFC3339), young.latestEnd().Format(time.RFC3339))
	case foreign != "" && !cl.Force:
		return false, fmt.Errorf("bucket %q holds the claim of another run with seed %d (%q), whose objects have the same names: %s; "+
			"clean up with its own recording, or use --force to remove the objects of both",
			c.bucket.Name(), cl.Plan.Seed, foreign, readClaim(ctx, c.sessions[0], foreign).status(clock.Now()))
	}
	return made, nil
}

// underWay reports whether the run of a claim may still go on. Nothing is removed then.
func (cl *Cleanup) underWay(f *claimFacts) bool {
	known := cl.Over || cl.Force || cl.Show != nil || cl.Place != "" && cl.Place == f.Recording
	return !known && !f.over(clock.Now())
}

// own reports whether a claim is one of this run.
func (cl *Cleanup) own(c *cleaner, key string) bool {
	return cl.Plan.RunID != "" && strings.HasPrefix(key, c.keys.Claims()+cl.Plan.RunID+".")
}

// remove removes one data set.
func (cl *Cleanup) remove(ctx context.Context, c *cleaner) {
	if cl.Any > 0 {
		c.sweepRows(ctx, cl.Any)
	} else {
		c.sweep(ctx)
		c.abortUploads(ctx)
	}
	if claims := cl.placeOfClaims(c); claims.isOwn != nil {
		c.sweepPrefix(ctx, c.sessions[0], leftClaim, claims.prefix, c.versions, claims.isOwn)
	}
}

// placeOfClaims returns the place of the claims to remove; none for a single client of shared data, since the claims are common.
func (cl *Cleanup) placeOfClaims(c *cleaner) spot {
	if cl.Client != nil && cl.Plan.SharedData {
		return spot{}
	}
	return spot{prefix: c.keys.Claims(), isOwn: func(key string) bool { return cl.Force || cl.own(c, key) }}
}

// places returns the places of leftovers of a data set, except for objects of an unknown number of threads: the search for these has ended
// with an empty row.
func (cl *Cleanup) places(c *cleaner) (list []spot) {
	if claims := cl.placeOfClaims(c); claims.isOwn != nil {
		list = append(list, claims)
	}
	if cl.Any == 0 {
		list = append(list, c.places()...)
	}
	return list
}

// removeLeftExtra deletes the extra buckets that a run left.
func removeLeftExtra(ctx context.Context, cl *Cleanup, sessions []s3.Session, done *Cleaned) error {
	if cl.Plan.RunID == "" {
		return nil // their names follow from it
	}
	var names []string
	cl.Plan.eachSet(cl.Clients, cl.Client, func(set *setPlan, share uint64) {
		name := extraNames(&cl.Plan.Target, cl.Plan.RunID, set, share)
		if set.namedExtra {
			return
		}
		for n := range set.extra {
			names = append(names, name(n))
		}
	})
	if len(names) == 0 {
		return nil
	}
	cl.Observer.Stage(Stage{Name: StageCleanup, Workload: cl.Plan.Title(), Start: clock.Now(), Done: func() uint64 { return 0 }})
	for i := range sessions {
		sessions[i] = preflight.WithDiagnosis(sessions[i], cl.Target)
	}
	n, err := removeExtraBuckets(ctx, sessions, names, cl.Show)
	done.Extra += n
	return err
}

// unclaimed returns an error for an object with a name of a template that the run no longer claims.
func (cl *Cleanup) unclaimed(ctx context.Context, c *cleaner) error {
	if cl.Force || c.claimed || c.keys.KeyForm() == "" {
		return nil
	}
	found := ""
	for _, place := range c.keys.Places() {
		err := work.RetryTemporary(ctx, func() error {
			return pages(ctx, c.sessions[0], ops.Listing{Prefix: place}, func(e ops.Entry) bool {
				if _, named := c.keys.Index(e.Key); named {
					found = e.Key
				}
				return found == ""
			})
		})
		if err != nil && !s3.NoBucket(err) {
			return fmt.Errorf("look for objects of the run: %w", err)
		}
	}
	if found == "" {
		return nil
	}
	return fmt.Errorf("bucket %q holds %q, but no claim of this run, so that objects with names of its --keys may be others; "+
		"use --force to remove them nevertheless",
		c.bucket.Name(), found)
}
