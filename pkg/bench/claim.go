package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
	"warp/pkg/s3"
)

// claimFacts is what a claim says about its run, for those who find it.
type claimFacts struct {
	Run   string    `json:"run"`
	Begun time.Time `json:"begun"`
	Made  bool      `json:"made_bucket,omitempty"` // the run made the bucket
}

// claimAll takes the names of all data sets that the run makes.
func (r *Run) claimAll(ctx context.Context) error {
	for i, set := range r.sets {
		if !r.plan.sets[i].makes {
			continue
		}
		if err := r.claim(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

// claimed reports whether the run has claims.
func (r *Run) claimed() bool {
	return slices.ContainsFunc(r.sets, func(s *DataSet) bool { return s.claimed != "" })
}

// claim takes the names of a data set: it puts a claim, and only then looks whether the names are free. So of two runs
// that begin at the same time at least one finds the claim of the other.
func (r *Run) claim(ctx context.Context, set *DataSet) error {
	text, err := json.Marshal(claimFacts{Run: r.id, Begun: clock.Now().Round(time.Second).UTC(), Made: r.made})
	if err != nil {
		return err
	}
	set.claimed = r.claims(set) + randomText()
	err = retryTemporary(ctx, func() error {
		c := s3.Call{Key: set.claimed, Body: bytes.NewReader(text), Size: int64(len(text))}
		err := s3.PutWithGrace(ctx, r.unmeasured(0), &c)
		if c.VersionID != "" {
			set.versioned.Store(true)
		}
		return err
	})
	switch {
	case refused(err):
		set.claimed = "" // there is no right to put it there; looking must do
	case err != nil:
		return fmt.Errorf("claim the names of seed %d: %w", r.plan.Seed, err)
	}
	if r.plan.Force {
		return nil
	}
	return r.checkUnused(ctx, set)
}

// claims is what the names of this run's claims on a data set begin with, and of its preflight's objects.
func (r *Run) claims(set *DataSet) string { return set.Keys.Claims() + r.id + "." }

// lastPart is what of a key comes after its last slash.
func lastPart(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// unclaim removes the run's claims, when nothing more is to be removed under the names of its seed. With --force the claims of
// others go as well, whose objects are gone too, and with a lost client's objects its claims.
func (r *Run) unclaim(ctx context.Context, cleaners []*cleaner, lost bool) {
	if c := cleaners[0]; c.known { // the preflight's deletions left markers
		c.uncounted().sweepPrefix(ctx, c.sessions[0], r.probe+".", c.versions, anyKey)
	}
	for i, c := range cleaners {
		set := r.sets[i]
		prefix := set.claimed
		switch {
		case r.plan.Force:
			prefix = set.Keys.Claims()
		case lost:
			prefix = r.claims(set)
		}
		switch c = c.uncounted(); {
		case prefix == "":
		case c.versions || prefix != set.claimed:
			c.sweepPrefix(ctx, c.sessions[0], prefix, c.versions, anyKey)
		default:
			c.delete(ctx, c.sessions[0], []s3.ObjectID{{Key: prefix}})
		}
	}
}

// checkUnused complains if the bucket holds objects of the data set, or another run's claim.
func (r *Run) checkUnused(ctx context.Context, set *DataSet) error {
	var claim string
	err := r.search(ctx, r.unmeasured(0), set.Keys.Claims(), func(key string) bool {
		claim = key
		return !strings.HasPrefix(key, r.claims(set))
	})
	if errors.Is(err, errTaken) {
		return fmt.Errorf("bucket %q holds the claim of another run with seed %d (%q): it is under way, begins at this moment too, or was killed; "+
			"use another --seed or --prefix, remove what it left (warp clean RECORDING), or use --force to overwrite and delete its objects",
			r.plan.Target.Bucket, r.plan.Seed, claim)
	}
	if err == nil {
		err = r.searchPlaces(ctx, set)
	}
	if refused(err) {
		err = r.probeKeys(ctx, set)
	}
	if errors.Is(err, errTaken) {
		return fmt.Errorf("bucket %q already holds objects of a run with seed %d: it is under way, or kept its data; "+
			"use another --seed or --prefix, or --force to overwrite and delete them", r.plan.Target.Bucket, r.plan.Seed)
	}
	if err != nil {
		return fmt.Errorf("look for objects of an earlier run: %w", err)
	}
	return nil
}

// errTaken means that something of the seed was found.
var errTaken = errors.New("the names of the seed are in use")

const (
	// searchers is how many listings are asked for at once.
	searchers = 16
	// searchPages is how many pages of one are read. Only in a bucket with many objects of others, and with --noprefix, are
	// there more.
	searchPages = 100
)

// searchPlaces looks for objects of the seed wherever they may be.
func (r *Run) searchPlaces(ctx context.Context, set *DataSet) error {
	places := set.Keys.Places()
	_, err := load.Run(ctx, load.Options{Concurrency: min(len(r.slots), len(places), searchers), Turns: uint64(len(places))},
		func(ctx context.Context, t load.Turn) error {
			return r.search(ctx, r.unmeasured(t.Worker), places[t.N], func(key string) bool {
				_, ours := set.Keys.Index(key)
				return ours
			})
		})
	if err == nil && ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

// search reads the listing of a prefix, to its end if that is not too far. It is errTaken if a key is wanted.
func (r *Run) search(ctx context.Context, sess s3.Session, prefix string, wanted func(key string) bool) error {
	var c s3.Call
	l := s3.Listing{Prefix: prefix, Flat: true}
	for range searchPages {
		err := retryTemporary(ctx, func() error { return s3.List(ctx, sess, &c, &l) })
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

// probedKeys is how many objects are looked for by name where there is no right to list.
const probedKeys = 16

// probeKeys looks for the first objects of the seed.
func (r *Run) probeKeys(ctx context.Context, set *DataSet) error {
	for i := range uint64(probedKeys) {
		err := retryTemporary(ctx, func() error { return s3.Stat(ctx, r.unmeasured(0), &s3.Call{Size: -1, Key: set.Keys.Key(i)}) })
		if err == nil {
			return errTaken
		}
		if !refused(err) {
			return err
		}
	}
	return nil
}

// refused reports whether the server understood a request, and said no.
func refused(err error) bool {
	var e *s3.Error
	return errors.As(err, &e) && (e.Status/100 == 4 || e.Status == http.StatusNotImplemented) && !s3.Temporary(err)
}

// randomText is a few random characters.
func randomText() string { return strconv.FormatUint(rand.Uint64(), 36) }
