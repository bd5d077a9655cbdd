package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// claimFacts is the content of a claim.
type claimFacts struct {
	Run   string    `json:"run"`
	Begun time.Time `json:"begun"`
	Made  bool      `json:"made_bucket,omitempty"` // the run made the bucket
	Keys  string    `json:"keys,omitempty"`        // form of the keys, if names do not depend on the seed alone

	Planned   time.Duration `json:"planned_ns,omitempty"` // duration of the run from then on
	Recording string        `json:"recording,omitempty"`  // its place, see recording.Place
}

// claimMargin is added to the planned duration of a run, for preparation, clean-up and retries.
const claimMargin = 10 * time.Minute

// over reports whether the run of a claim must have ended by a time.
func (c *claimFacts) over(now time.Time) bool {
	return c.Planned == 0 || now.After(c.Begun.Add(c.Planned+claimMargin))
}

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
	stay    bool   // if objects stay, so do claims on names that prove nothing

	recording string // its place

	keys map[*dataset.DataSet]string // of the claims that were put
}

// claimAll takes the names of all data sets that the run makes.
func (c *claims) claimAll(ctx context.Context) error {
	for i, set := range c.sets {
		if !c.plan.sets[i].makes {
			continue
		}
		if err := c.claim(ctx, set); err != nil {
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
func (c *claims) claim(ctx context.Context, set *dataset.DataSet) error {
	text, err := json.Marshal(claimFacts{
		Run:       c.run,
		Begun:     clock.Now().Round(time.Second).UTC(),
		Made:      c.made,
		Keys:      set.Keys.KeyForm(),
		Planned:   c.plan.PlannedLength(),
		Recording: c.recording,
	})
	if err != nil {
		return err
	}
	c.keys[set] = c.newName(set)
	err = work.RetryTemporary(ctx, func() error {
		call := s3.Call{Key: c.keys[set], Body: bytes.NewReader(text), Size: int64(len(text))}
		err := preflight.PutWithGrace(ctx, c.session(0), &call)
		if call.VersionID != "" {
			set.NoteVersions()
		}
		return err
	})
	switch {
	case s3.AsError(err).Status == http.StatusForbidden:
		delete(c.keys, set) // writing a claim is not permitted, so looking must suffice
	case err != nil:
		return fmt.Errorf("claim the names of seed %d: %w", c.plan.Seed, err)
	}
	if c.plan.Force {
		return nil
	}
	return c.checkUnused(ctx, set)
}

// readClaim reads a claim.
func readClaim(ctx context.Context, sess s3.Session, key string) (facts claimFacts, ok bool) {
	var got bytes.Buffer
	err := work.RetryTemporary(ctx, func() error {
		got.Reset()
		return ops.Get(ctx, sess, &s3.Call{Size: -1, Key: key, Into: &got})
	})
	return facts, err == nil && json.Unmarshal(got.Bytes(), &facts) == nil
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
	case c.stay && c.plan.sets[i].keep && set.Keys.KeyForm() != "":
		return ""
	case c.plan.Force && (c.keys[set] != "" || c.stay || lost):
		return set.Keys.Claims()
	case lost:
		return c.prefix(set)
	default:
		return c.keys[set]
	}
}

// checkUnused returns an error if the bucket holds objects of the data set, or another run's claim.
func (c *claims) checkUnused(ctx context.Context, set *dataset.DataSet) error {
	var claim string
	err := searchListing(ctx, c.session(0), ops.Listing{Prefix: set.Keys.Claims(), Flat: true}, func(key string) bool {
		if !strings.HasPrefix(key, c.prefix(set)) {
			claim, c.others = key, c.others || strings.Contains(key[len(set.Keys.Claims()):], madeMark)
		}
		return false
	})
	if claim != "" {
		return fmt.Errorf("bucket %q holds the claim of another run with seed %d (%q): "+
			"it is under way, begins at this moment too, or was killed; "+
			"use another --seed or --prefix, remove what it left (warp clean RECORDING), or use --force to overwrite and delete its objects",
			c.bucket.Name(), c.plan.Seed, claim)
	}
	switch {
	case err != nil:
	case set.Keys.KeyForm() != "":
		err = c.searchTemplate(ctx, set)
	default:
		err = c.searchPlaces(ctx, set)
	}
	if refused(err) {
		err = c.probeKeys(ctx, set)
	}
	if errors.Is(err, errTaken) && set.Keys.KeyForm() != "" {
		return fmt.Errorf("bucket %q: %w: an object, version or upload whose name --keys can make, "+
			"or the claim of a run whose keys can be the same; "+
			"use another --keys or --prefix, remove what that run left (warp clean RECORDING), or use --force to overwrite and delete them",
			c.bucket.Name(), err)
	}
	if errors.Is(err, errTaken) {
		return fmt.Errorf("bucket %q already holds objects of a run with seed %d: it is under way, or kept its data; "+
			"use another --seed or --prefix, or --force to overwrite and delete them", c.bucket.Name(), c.plan.Seed)
	}
	if err != nil {
		return fmt.Errorf("look for objects of an earlier run: %w", err)
	}
	return nil
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

// errTaken means that an object or a claim with a name of the seed was found.
var errTaken = errors.New("is in use")

const (
	// maxSearchers is the maximum number of concurrent listings.
	maxSearchers = 16
	// searchPages is the maximum number of pages per listing. There are more only with --noprefix in a bucket with many other objects.
	searchPages = 100
)

// searchPlaces looks for objects of the seed wherever they may be.
func (c *claims) searchPlaces(ctx context.Context, set *dataset.DataSet) error {
	places := set.Keys.Places()
	_, err := load.Run(ctx, load.Options{Concurrency: min(c.threads, len(places), maxSearchers), Turns: uint64(len(places))},
		func(ctx context.Context, t load.Turn) error {
			return searchListing(ctx, c.session(t.Worker), ops.Listing{Prefix: places[t.N], Flat: !set.Keys.Nested()}, func(key string) bool {
				_, ours := set.Keys.Index(key)
				return ours
			})
		})
	if err == nil && ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

// searchListing lists at most searchPages pages, and returns errTaken at the first key for which wanted is true.
func searchListing(ctx context.Context, sess s3.Session, l ops.Listing, wanted func(key string) bool) error {
	var c s3.Call
	for range searchPages {
		err := work.RetryTemporary(ctx, func() error { return ops.List(ctx, sess, &c, &l) })
		if s3.NoBucket(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range l.Entries {
			if wanted(e.Key) {
				return errTaken
			}
		}
		if l.Token = l.Next; l.Token == "" {
			return nil
		}
	}
	return nil
}

// probedKeys is the number of objects looked up by name if listing is not permitted.
const probedKeys = 16

// probeKeys looks up the first objects of the seed by name.
func (c *claims) probeKeys(ctx context.Context, set *dataset.DataSet) error {
	for i := range uint64(probedKeys) {
		err := work.RetryTemporary(ctx, func() error { return ops.Stat(ctx, c.session(0), &s3.Call{Size: -1, Key: set.Keys.Key(i)}) })
		if err == nil {
			return errTaken
		}
		if !refused(err) {
			return err
		}
	}
	return nil
}

// refused reports whether the server understood the request and rejected it for good.
func refused(err error) bool {
	var e *s3.Error
	return errors.As(err, &e) && (e.Status/100 == 4 || e.Status == http.StatusNotImplemented) && !s3.Temporary(err)
}

// randomText returns random characters for a name.
func randomText() string { return strconv.FormatUint(rand.Uint64(), 36) }
