package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
	"warp/pkg/units"
)

// remover deletes objects, uploads and the bucket, for all data sets of a clean-up.
type remover struct {
	bucket   *preflight.Bucket
	sessions []s3.Session   // one for each thread
	show     func(Leftover) // called instead of removing anything, never concurrently; nil: remove

	known    bool // the bucket says that it keeps versions, or once did
	versions bool // versions are listed and removed one by one

	removed map[string]*atomic.Uint64 // by kind; each version and delete marker is one
	steps   atomic.Uint64             // requests that made progress
	gaveUp  atomic.Bool               // there was no progress for too long

	mu    sync.Mutex
	kept  notRemoved
	first []error
}

// notRemoved counts what a clean-up did not remove.
type notRemoved struct {
	objects, uploads, listings, claims int // that failed

	found    int // objects that the last look found
	unlisted int // objects of a bucket that keeps versions but does not list them
}

// newRemover returns a remover for a number of threads.
func newRemover(b *preflight.Bucket, threads int, session func(int) s3.Session, show func(Leftover)) *remover {
	rm := &remover{bucket: b, show: show, removed: map[string]*atomic.Uint64{leftObject: {}, leftUpload: {}, leftClaim: {}}}
	for i := range threads {
		rm.sessions = append(rm.sessions, session(i))
	}
	return rm
}

// cleanTries is the number of times that the clean-up sends a request without progress, over some 20 seconds. If no thread makes progress
// in that time, the clean-up gives up: the server is gone.
const cleanTries = 10

// errVanished marks the error of a listing that failed because another client deleted an object during it. A retry may
// succeed.
type errVanished struct{ error }

func (e errVanished) Unwrap() error { return e.error }

var errGaveUp = errors.New("gave up after too long without progress")

// retry repeats a request of the clean-up. do reports whether it made progress.
func (rm *remover) retry(ctx context.Context, do func() (progress bool, err error)) error {
	again := func(err error) bool { return s3.Temporary(err) || errors.As(err, new(errVanished)) }
	before := rm.steps.Load()
	err := work.RetryWhile(ctx, cleanTries, again, func() (bool, error) {
		if rm.gaveUp.Load() {
			return false, errGaveUp
		}
		progress, err := do()
		if progress || err == nil {
			before, progress = rm.steps.Add(1), true
		}
		return progress, err
	})
	if err != nil && again(err) && rm.steps.Load() == before {
		rm.gaveUp.Store(true)
	}
	return err
}

// detectVersions determines whether objects must be removed version by version. A version ID in the response to an upload (seen) proves
// nothing: some servers make one up. So it tries to list versions below prefix.
func (rm *remover) detectVersions(ctx context.Context, prefix string, seen bool) {
	// An error means no versions, unless one was seen; objects can be removed anyway.
	err := work.RetryTemporary(ctx, func() (err error) {
		rm.known, err = rm.bucket.Versioned(ctx)
		return err
	})
	if !rm.known && (!seen || err == nil && rm.sessions[0].Dialect().Names().Generations) {
		return
	}
	err = work.RetryTemporary(ctx, func() error {
		return ops.List(ctx, rm.sessions[0], &s3.Call{}, &ops.Listing{Prefix: prefix, All: true, MaxKeys: 1})
	})
	if rm.versions = err == nil || s3.NoBucket(err); !rm.versions && rm.known {
		rm.add(&rm.kept.listings, 1, fmt.Errorf("list versions, which are left: %w", err))
	}
}

// each calls do for 0 to turns-1, on all threads.
func (rm *remover) each(ctx context.Context, turns uint64, do func(ctx context.Context, sess s3.Session, turn uint64)) {
	if turns == 0 {
		return
	}
	// If ctx is cancelled, the user wants no clean-up, or the store is gone: requests are not retried.
	o := load.Options{Concurrency: len(rm.sessions), Turns: turns, Abort: ctx.Done()}
	_, err := load.Run(ctx, o, func(ctx context.Context, t load.Turn) error {
		do(ctx, rm.sessions[t.Worker], t.N)
		return nil
	})
	if err != nil {
		rm.add(&rm.kept.listings, 1, err)
	}
}

// sweepPrefix lists a prefix and removes the matching keys; with versions, all their versions and delete markers.
func (rm *remover) sweepPrefix(ctx context.Context, sess s3.Session, kind, prefix string, versions bool, match func(key string) bool) {
	var before []ops.ObjectID
	var call s3.Call
	for page := (ops.Listing{Prefix: prefix, All: versions}); ; page.Token = page.Next {
		err := rm.retry(ctx, func() (bool, error) {
			err := ops.List(ctx, sess, &call, &page)
			if s3.IsNotFound(err) && !s3.NoBucket(err) {
				err = errVanished{err}
			}
			return false, err
		})
		if err != nil && !s3.NoBucket(err) {
			rm.add(&rm.kept.listings, 1, fmt.Errorf("list what is to be deleted below %q: %w", prefix, err))
		}
		var found []ops.ObjectID
		for _, e := range page.Entries {
			if match(e.Key) {
				found = append(found, ops.ObjectID{Key: e.Key, Version: e.Version})
			}
		}
		// A page is deleted after the next page is listed: some servers cannot continue from a key that is gone.
		rm.delete(ctx, sess, kind, before)
		before = found
		if err != nil || page.Next == "" {
			rm.delete(ctx, sess, kind, before)
			return
		}
	}
}

// delete deletes objects or versions, and returns the remaining ones.
func (rm *remover) delete(ctx context.Context, sess s3.Session, kind string, ids []ops.ObjectID) (left []ops.ObjectID) {
	if rm.show != nil {
		for _, id := range ids {
			rm.shown(Leftover{Kind: kind, Key: id.Key, Version: id.Version})
		}
		return ids
	}
	if len(ids) == 0 {
		return nil
	}
	err := rm.retry(ctx, func() (bool, error) {
		failed := deleteObjects(ctx, sess, ids, ops.DeleteObjects)
		progress := len(failed) < len(ids)
		rm.removed[kind].Add(uint64(max(0, len(ids)-len(failed))))
		var retry error
		ids = nil
		for _, f := range failed {
			if s3.Temporary(f.Err) {
				ids, retry = append(ids, f.ObjectID), f.Err
				continue
			}
			left = append(left, f.ObjectID)
			rm.add(&rm.kept.objects, 1, fmt.Errorf("delete %q: %w", f.Key, f.Err))
		}
		return progress, retry
	})
	if err != nil {
		rm.add(&rm.kept.objects, len(ids), fmt.Errorf("delete %q: %w", ids[0].Key, err))
		left = append(left, ids...)
	}
	return left
}

// shown shows l if it must not be removed, and reports whether it did.
func (rm *remover) shown(l Leftover) bool {
	if rm.show == nil {
		return false
	}
	rm.mu.Lock()
	defer rm.mu.Unlock()
	rm.show(l)
	if n := rm.removed[l.Kind]; n != nil {
		n.Add(1)
	}
	return true
}

// abort aborts an unfinished upload.
func (rm *remover) abort(ctx context.Context, u ops.Upload, abort func(context.Context, ops.Upload) error) {
	if err := rm.retry(ctx, func() (bool, error) { return false, abort(ctx, u) }); err != nil {
		rm.add(&rm.kept.uploads, 1, fmt.Errorf("abort upload of %q: %w", u.Key, err))
		return
	}
	rm.removed[leftUpload].Add(1)
}

// abortConnections is the maximum number of connections for concurrent aborts of uploads.
const abortConnections = 16

// abortAll aborts uploads, several at once.
func (rm *remover) abortAll(ctx context.Context, list []ops.Upload) {
	var next atomic.Int64
	var threads sync.WaitGroup
	for range min(len(list), len(rm.sessions), max(1, abortConnections/rm.bucket.Hosts())) {
		threads.Go(func() {
			abort, done := rm.bucket.Aborts()
			defer done()
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				rm.abort(ctx, list[i], abort)
			}
		})
	}
	threads.Wait()
}

// removeBucket removes the bucket, or tells o why it remains.
func (rm *remover) removeBucket(ctx context.Context, o Observer) (removed bool) {
	if rm.shown(Leftover{Kind: leftBucket, Key: rm.bucket.Name()}) {
		return true
	}
	err := rm.retry(ctx, func() (bool, error) { return false, rm.bucket.Remove(ctx) })
	if err != nil {
		o.Notice(fmt.Sprintf("Bucket %q stays: %v", rm.bucket.Name(), err))
	}
	return err == nil
}

// maxCleanErrors is the maximum number of listed errors of a clean-up.
const maxCleanErrors = 3

// add adds n to one of the counters in kept.
func (rm *remover) add(counter *int, n int, err error) {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	*counter += n
	if len(rm.first) < maxCleanErrors && !(errors.Is(err, errGaveUp) && len(rm.first) > 0) {
		rm.first = append(rm.first, err)
	}
}

// succeeded reports whether nothing failed.
func (rm *remover) succeeded() bool {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	return len(rm.first) == 0
}

// failure returns a *CleanupError if something below root could not be removed.
func (rm *remover) failure(root string) error {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	if len(rm.first) == 0 {
		return nil
	}
	var left, what []string
	for _, k := range []struct {
		n    int
		name string
	}{{max(rm.kept.objects, rm.kept.found), "object"}, {rm.kept.uploads, "unfinished upload"}} {
		if k.n > 0 {
			left = append(left, units.Plural(int64(k.n), k.name))
		}
	}
	if len(left) > 0 {
		what = append(what, strings.Join(left, " and ")+" could not be removed")
	}
	if rm.kept.unlisted > 0 {
		what = append(what, "versions of "+units.Plural(int64(rm.kept.unlisted), "object")+" are left")
	}
	if rm.kept.listings > 0 {
		what = append(what, units.Plural(int64(rm.kept.listings), "listing")+" of what is to be removed failed")
	}
	if rm.kept.claims > 0 {
		what = append(what, "it could not be stated that objects are kept")
	}
	const text = "clean-up: %s, below %q in bucket %q: %w"
	return &CleanupError{fmt.Errorf(text, strings.Join(what, ", and "), root, rm.bucket.Name(), errors.Join(rm.first...))}
}

// cleaner removes objects of one data set, and nothing else.
type cleaner struct {
	*remover
	keys    generator.Keys
	claimed bool                // a claim of the run was found
	locked  bool                // the run may have locked its versions
	mine    func(i uint64) bool // reports whether to remove object i; other clients may remove theirs at the same time
}

// sweep lists all directories and removes the objects of the data set.
func (c *cleaner) sweep(ctx context.Context) {
	before := c.removed[leftObject].Load()
	c.sweepDirs(ctx, c.versions)
	// A listing of versions need not contain any. Objects already shown are not shown again.
	if c.versions && !c.known && (c.show == nil || c.removed[leftObject].Load() == before) {
		c.sweepDirs(ctx, false)
	}
}

// sweepRows removes the objects and uploads of any number of threads: from one row of n threads' prefixes after another, until a row is
// empty.
func (c *cleaner) sweepRows(ctx context.Context, n int) {
	keys := c.keys
	defer func() { c.keys = keys }()
	for first, more := 0, true; more && first < MaxThreads && ctx.Err() == nil; first += n {
		before := c.removed[leftObject].Load() + c.removed[leftUpload].Load()
		c.keys, more = keys.AnyThreads(first, n)
		c.sweep(ctx)
		c.abortUploads(ctx)
		more = more && c.removed[leftObject].Load()+c.removed[leftUpload].Load() > before
	}
}

// isMine reports whether to remove an object with this key.
func (c *cleaner) isMine(key string) bool {
	i, ours := c.keys.Index(key)
	return ours && c.mine(i)
}

func (c *cleaner) sweepDirs(ctx context.Context, versions bool) {
	dirs := c.keys.ListedDirs()
	c.each(ctx, uint64(len(dirs)), func(ctx context.Context, sess s3.Session, dir uint64) {
		if c.locked {
			sess = unlock(sess)
		}
		c.sweepPrefix(ctx, sess, leftObject, dirs[dir], versions, c.isMine)
	})
}

// abortUploads aborts unfinished multipart uploads of the data set. Some servers cannot continue a listing of uploads after its first page,
// so it lists again until nothing new is found. A server without support for uploads has none.
func (c *cleaner) abortUploads(ctx context.Context) {
	seen := map[ops.Upload]bool{}
	for {
		found, err := c.findUploads(ctx, seen)
		c.abortAll(ctx, found)
		if len(found) > 0 && ctx.Err() == nil {
			continue
		}
		var e *s3.Error
		unsupported := s3.Unsupported(err) || errors.As(err, &e) && e.Status/100 == 4
		if err != nil && (len(seen) > 0 || !unsupported) {
			c.add(&c.kept.listings, 1, fmt.Errorf("list unfinished uploads: %w", err))
		}
		return
	}
}

// findUploads lists unfinished uploads of the data set, and returns the new ones, unless they are only shown.
func (c *cleaner) findUploads(ctx context.Context, seen map[ops.Upload]bool) (found []ops.Upload, err error) {
	err = c.retry(ctx, func() (bool, error) {
		return false, c.bucket.Uploads(ctx, c.keys.Root(), func(u ops.Upload) error {
			if i, ours := c.keys.Index(u.Key); !ours || !c.mine(i) || seen[u] {
				return nil
			}
			seen[u] = true
			if !c.shown(Leftover{Kind: leftUpload, Key: u.Key, Version: u.ID}) {
				found = append(found, u)
			}
			return nil
		})
	})
	return found, err
}
