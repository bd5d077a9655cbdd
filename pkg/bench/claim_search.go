package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// checkUnused returns an error if the bucket holds objects of the data set, or another run's claim; not for those that an earlier run kept
// if they may be overwritten.
func (c *claims) checkUnused(ctx context.Context, i int) error {
	set := c.sets[i]
	err := c.checkClaims(ctx, i)
	switch {
	case err == nil && c.unlisted:
		err = c.probeKeys(ctx, set)
	case err != nil:
	case set.Keys.KeyForm() != "":
		err = c.searchTemplate(ctx, i)
	default:
		if err = c.searchPlaces(ctx, set); errors.Is(err, errTaken) && c.plan.sets[i].spec.OverwriteKept && c.keys[set] != "" {
			return nil // the objects prove that a run made them, and without a claim it has ended
		}
	}
	if refused(err) {
		err = c.probeKeys(ctx, set)
	}
	if err != nil && !errors.Is(err, errTaken) {
		return fmt.Errorf("look for objects of an earlier run: %w", err)
	}
	return c.describe(i, err)
}

// checkClaims looks for claims of other runs on the names of a data set.
func (c *claims) checkClaims(ctx context.Context, i int) error {
	set := c.sets[i]
	overwrite := c.plan.sets[i].spec.OverwriteKept
	var found []string
	listed := false
	err := searchListing(ctx, c.session(0), ops.Listing{Prefix: set.Keys.Claims(), Flat: true}, func(key string) bool {
		if strings.HasPrefix(key, c.prefix(set)) {
			listed = true
		} else {
			found, c.others = append(found, key), c.others || strings.Contains(key[len(set.Keys.Claims()):], madeMark)
		}
		return false
	})
	if err == nil && !listed && c.keys[set] != "" && strings.Contains(set.Keys.Claims(), "//") {
		c.unlisted = true
	}
	for _, key := range found {
		claim := c.read(ctx, key)
		if claim == nil {
			continue
		}
		if ignored := (overwrite || c.plan.Force) && c.noteKept(set, claim); !ignored && !c.plan.Force {
			return &takenError{key: key, claim: claim}
		}
	}
	return err
}

// read reads a claim of another run; nil if it is gone: then that run has ended, has given up, or another client of this run has replaced
// its claim.
func (c *claims) read(ctx context.Context, key string) *foreignClaim {
	claim := readClaim(ctx, c.session(0), key)
	listed := func(string) bool { return true }
	// Some servers list an object before it can be read.
	if s3.IsNotFound(claim.err) && searchListing(ctx, c.session(0), ops.Listing{Prefix: key}, listed) == nil {
		return nil
	}
	return claim
}

// errTaken means that an object or a claim with a name of the seed was found.
var errTaken = errors.New("is in use")

// takenError says what uses names of a data set: an object, or a claim of another run.
type takenError struct {
	key   string
	claim *foreignClaim
}

func (e *takenError) Error() string { return fmt.Sprintf("%q %v", e.key, errTaken) }

func (e *takenError) Unwrap() error { return errTaken }

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
				_, ours := set.Keys.InBucket(c.number).Index(key)
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
	_, err := eachKey(ctx, sess, l, func(key string) error {
		if wanted(key) {
			return errTaken
		}
		return nil
	})
	return err
}

// eachKey calls check for the keys of at most searchPages pages, until its first error. more is true if there are further pages.
func eachKey(ctx context.Context, sess s3.Session, l ops.Listing, check func(key string) error) (more bool, err error) {
	var c s3.Call
	for range searchPages {
		err := work.RetryTemporary(ctx, func() error { return ops.List(ctx, sess, &c, &l) })
		if s3.NoBucket(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, e := range l.Entries {
			if err := check(e.Key); err != nil {
				return false, err
			}
		}
		if l.Token = l.Next; l.Token == "" {
			return false, nil
		}
	}
	return true, nil
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
