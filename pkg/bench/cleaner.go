package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/units"
)

// cleaner removes objects of one data set, and nothing else, from a bucket.
type cleaner struct {
	bucket   s3.Bucket
	sessions []s3.Session // one for each thread
	keys     generator.Keys
	mine     func(i uint64) bool // reports whether object i is to be removed. Others may remove theirs at the same time
	probes   string              // what the names of the preflight's objects begin with, below directories; empty: not looked for
	show     func(Leftover)      // is called instead of removing anything; nil: remove

	known    bool // the bucket says that it keeps versions, or did once
	versions bool // versions are listed, and removed one by one

	objects, uploads atomic.Uint64 // that were removed; each version and delete marker is one
	*failures
}

// uncounted is a cleaner for what is no data of the run, and does not count as such.
func (c *cleaner) uncounted() *cleaner {
	return &cleaner{bucket: c.bucket, sessions: c.sessions, keys: c.keys, show: c.show, known: c.known, versions: c.versions, failures: c.failures}
}

// cleanTries is how often a request of the clean-up is sent, over some 20 seconds, while nothing gets done. If no thread got
// anything done in that time, the clean-up gives up: the server is gone.
const cleanTries = 10

// errVanished is the error of a listing that fails because an object is not there: one that another client deletes while the
// server lists. It says nothing about the others.
type errVanished struct{ error }

func (e errVanished) Unwrap() error { return e.error }

var errHopeless = errors.New("given up, because nothing could be removed any more")

// retry repeats a request of the clean-up. do reports whether it got anything done.
func (c *cleaner) retry(ctx context.Context, do func() (progress bool, err error)) error {
	again := func(err error) bool { return s3.Temporary(err) || errors.As(err, new(errVanished)) }
	before := c.steps.Load()
	err := retry(ctx, cleanTries, again, func() (bool, error) {
		if c.hopeless.Load() {
			return false, errHopeless
		}
		progress, err := do()
		if progress || err == nil {
			before, progress = c.steps.Add(1), true
		}
		return progress, err
	})
	if err != nil && again(err) && c.steps.Load() == before {
		c.hopeless.Store(true)
	}
	return err
}

// detectVersions finds out whether objects must be removed version by version. A version id in the response to an upload
// (seen) is no proof: some servers make one up.
func detectVersions(ctx context.Context, cleaners []*cleaner, seen bool) {
	first := cleaners[0]
	first.detectVersions(ctx, seen)
	for _, c := range cleaners {
		c.known, c.versions = first.known, first.versions
	}
}

func (c *cleaner) detectVersions(ctx context.Context, seen bool) {
	// A server that cannot say keeps no versions, unless one was seen. That it cannot does not mean that nothing can be removed.
	_ = retryTemporary(ctx, func() (err error) {
		c.known, err = c.bucket.Versioned(ctx)
		return err
	})
	if !c.known && !seen {
		return
	}
	err := retryTemporary(ctx, func() error {
		return s3.List(ctx, c.sessions[0], &s3.Call{}, &s3.Listing{Prefix: c.keys.Claims(), All: true, MaxKeys: 1})
	})
	if c.versions = err == nil; !c.versions && c.known && !s3.Unsupported(err) {
		c.add(&c.kept.listings, 1, fmt.Errorf("list versions, which may be left: %w", err))
	}
}

// sweep removes the objects that are found in all directories.
func (c *cleaner) sweep(ctx context.Context) {
	c.sweepDirs(ctx, c.versions)
	// That versions can be listed does not prove that there are any. What was only shown need not be shown again.
	if c.versions && !c.known && (c.show == nil || c.objects.Load() == 0) {
		c.sweepDirs(ctx, false)
	}
}

func (c *cleaner) sweepDirs(ctx context.Context, versions bool) {
	ours := func(key string) bool {
		if c.probes != "" && strings.HasPrefix(lastPart(key), c.probes) {
			return true
		}
		i, ours := c.keys.Index(key)
		return ours && c.mine(i)
	}
	c.each(ctx, uint64(c.keys.Dirs()), func(ctx context.Context, sess s3.Session, dir uint64) {
		c.sweepPrefix(ctx, sess, c.keys.Dir(int(dir)), versions, ours)
	})
}

// each calls do in as many turns, by all threads.
func (c *cleaner) each(ctx context.Context, turns uint64, do func(ctx context.Context, sess s3.Session, turn uint64)) {
	if turns == 0 {
		return
	}
	// Who cancels this wants no clean-up, or the store is gone: requests are not tried again then.
	_, err := load.Run(ctx, load.Options{Concurrency: len(c.sessions), Turns: turns, Abort: ctx.Done()}, func(ctx context.Context, t load.Turn) error {
		do(ctx, c.sessions[t.Worker], t.N)
		return nil
	})
	if err != nil {
		c.add(&c.kept.listings, 1, err)
	}
}

// sweepPrefix removes what is found below a prefix and matches, with all versions and delete markers if they are wanted.
func (c *cleaner) sweepPrefix(ctx context.Context, sess s3.Session, prefix string, versions bool, match func(key string) bool) {
	var before []s3.ObjectID
	var call s3.Call
	for page := (s3.Listing{Prefix: prefix, All: versions}); ; page.Token = page.Next {
		err := c.retry(ctx, func() (bool, error) {
			err := s3.List(ctx, sess, &call, &page)
			if s3.NotThere(err) && !s3.NoBucket(err) {
				err = errVanished{err}
			}
			return false, err
		})
		if err != nil && !s3.NoBucket(err) {
			c.add(&c.kept.listings, 1, fmt.Errorf("list what is to be deleted below %q: %w", prefix, err))
		}
		var found []s3.ObjectID
		for _, e := range page.Entries {
			if match(e.Key) {
				found = append(found, s3.ObjectID{Key: e.Key, Version: e.Version})
			}
		}
		// What the next page continues from is deleted later: some servers could not find their place without it.
		c.delete(ctx, sess, before)
		before = found
		if err != nil || page.Next == "" {
			c.delete(ctx, sess, before)
			return
		}
	}
}

// delete deletes objects or versions.
func (c *cleaner) delete(ctx context.Context, sess s3.Session, ids []s3.ObjectID) {
	if c.show != nil {
		for _, id := range ids {
			c.objects.Add(1)
			c.show(Leftover{Kind: LeftObject, Key: id.Key, Version: id.Version})
		}
		return
	}
	if len(ids) == 0 {
		return
	}
	err := c.retry(ctx, func() (bool, error) {
		failed := s3.DeleteObjects(ctx, sess, ids)
		progress := len(failed) < len(ids)
		c.objects.Add(uint64(max(0, len(ids)-len(failed))))
		var retry error
		ids = nil
		for _, f := range failed {
			if s3.Temporary(f.Err) {
				ids, retry = append(ids, f.ObjectID), f.Err
				continue
			}
			c.add(&c.kept.objects, 1, fmt.Errorf("delete %q: %w", f.Key, f.Err))
		}
		return progress, retry
	})
	if err != nil {
		c.add(&c.kept.objects, len(ids), fmt.Errorf("delete %q: %w", ids[0].Key, err))
	}
}

// abort ends unfinished multipart uploads of the data set. A server that does not know them has none.
func (c *cleaner) abort(ctx context.Context) {
	seen := map[s3.Upload]bool{}
	err := c.retry(ctx, func() (bool, error) {
		return false, c.bucket.Uploads(ctx, c.keys.Root(), func(u s3.Upload) error {
			if i, ours := c.keys.Index(u.Key); !ours || !c.mine(i) || seen[u] {
				return nil
			}
			seen[u] = true
			c.abortOne(ctx, u)
			return nil
		})
	})
	var e *s3.Error
	if refused := errors.As(err, &e) && e.Status/100 == 4; err != nil && !refused && !s3.Unsupported(err) {
		c.add(&c.kept.listings, 1, fmt.Errorf("list unfinished uploads: %w", err))
	}
}

func (c *cleaner) abortOne(ctx context.Context, u s3.Upload) {
	if c.show != nil {
		c.uploads.Add(1)
		c.show(Leftover{Kind: LeftUpload, Key: u.Key, Version: u.ID})
		return
	}
	err := c.retry(ctx, func() (bool, error) { return false, c.bucket.Abort(ctx, u) })
	if err != nil {
		c.add(&c.kept.uploads, 1, fmt.Errorf("abort upload of %q: %w", u.Key, err))
		return
	}
	c.uploads.Add(1)
}

// verdict says what could not be removed.
func (c *cleaner) verdict() error {
	return c.failures.verdict(fmt.Sprintf("below %q in bucket %q", c.keys.Root(), c.bucket.Name()))
}

// failures counts what a clean-up, perhaps by several cleaners, could not do.
type failures struct {
	steps    atomic.Uint64 // requests that got something done
	hopeless atomic.Bool   // nothing gets done any more

	mu    sync.Mutex
	kept  struct{ objects, uploads, listings int } // that failed
	first []error
}

// maxCleanErrors is how many errors of the clean-up are listed one by one.
const maxCleanErrors = 3

// add counts n more of one of the counters.
func (f *failures) add(counter *int, n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*counter += n
	if len(f.first) < maxCleanErrors && !(errors.Is(err, errHopeless) && len(f.first) > 0) {
		f.first = append(f.first, err)
	}
}

// none reports whether everything could be done.
func (f *failures) none() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.first) == 0
}

func (f *failures) verdict(where string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.first) == 0 {
		return nil
	}
	var left, what []string
	for _, k := range []struct {
		n    int
		name string
	}{{f.kept.objects, "object"}, {f.kept.uploads, "unfinished upload"}} {
		if k.n > 0 {
			left = append(left, units.Plural(int64(k.n), k.name))
		}
	}
	if len(left) > 0 {
		what = append(what, strings.Join(left, " and ")+" could not be removed")
	}
	if f.kept.listings > 0 {
		what = append(what, units.Plural(int64(f.kept.listings), "listing")+" of what is to be removed failed")
	}
	return &CleanupError{fmt.Errorf("clean-up: %s, %s: %w", strings.Join(what, ", and "), where, errors.Join(f.first...))}
}
