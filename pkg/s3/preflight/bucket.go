package preflight

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Bucket is the bucket of a store on all its hosts. Hosts may be doors to one server or servers of their own, and there is no
// way to know; so everything is done on each of them, and what another host did already is no fault.
type Bucket struct {
	store  s3.Store
	number int // see s3.Config.BucketName
	cfg    s3.Config
	made   []bool // by host: Ensure made the bucket there

	written atomic.Bool
	lag     atomic.Int64
}

// Open returns the bucket of a store, the first one if there are several. It sends nothing.
func Open(store s3.Store) *Bucket { return OpenNumber(store, 0) }

// OpenNumber returns a bucket of a store by its number.
func OpenNumber(store s3.Store, number int) *Bucket {
	b := &Bucket{store: store, number: number, cfg: *store.Config(), made: make([]bool, len(store.Hosts()))}
	b.cfg.SetBucket(b.cfg.BucketName(number))
	return b
}

// Name is the name of the bucket.
func (b *Bucket) Name() string { return b.cfg.Bucket }

// Lag returns how long objects of the preflight took at most to become readable; 0: they were at once.
func (b *Bucket) Lag() time.Duration { return time.Duration(b.lag.Load()) }

// Written reports whether objects of the preflight may have been in the bucket.
func (b *Bucket) Written() bool { return b.written.Load() }

// parallelHosts is how many hosts get requests at once.
const parallelHosts = 16

// eachHost calls do for the hosts from one on, several at once, and returns the first error in their order.
func (b *Bucket) eachHost(from int, do func(i int) error) error {
	errs := make([]error, len(b.made))
	var g errgroup.Group
	g.SetLimit(parallelHosts)
	for i := from; i < len(errs); i++ {
		g.Go(func() error {
			errs[i] = do(i)
			return nil // the others go on
		})
	}
	_ = g.Wait()
	return cmp.Or(errs...)
}

// eachHostAfterFirst is eachHost, but with the first host before all others, so that hosts of one server do not race to make the same
// bucket.
func (b *Bucket) eachHostAfterFirst(do func(i int) error) error {
	if err := do(0); err != nil {
		return err
	}
	return b.eachHost(1, do)
}

// eachKey calls do for all keys but the first, which is tried on all hosts, several at once, and returns the first error in their
// order.
func (b *Bucket) eachKey(do func(s *session, key int) error) error {
	errs := make([]error, max(1, b.store.Keys()))
	var g errgroup.Group
	g.SetLimit(parallelHosts)
	for key := 1; key < len(errs); key++ {
		g.Go(func() error {
			s, done := b.sessionOf(0, key)
			defer done()
			if err := do(s, key); err != nil {
				errs[key] = fmt.Errorf("key %d of --credentials-file: %w", key+1, err)
			}
			return nil // the others go on
		})
	}
	_ = g.Wait()
	return cmp.Or(errs...)
}

// session returns a session of one host.
func (b *Bucket) session(i int) (s *session, done func()) { return b.sessionOf(i, 0) }

// sessionOf returns a session of one host and one key.
func (b *Bucket) sessionOf(i, key int) (s *session, done func()) {
	one, done := b.store.HostSession(i, key)
	return &session{
		Session: s3.InBucket(one, b.number),
		cfg:     &b.cfg,
		host:    b.store.Hosts()[i],
		probe:   true,
		written: &b.written,
		lag:     &b.lag,
	}, done
}

// send sends one request about the bucket to a host. The error is a *Diagnosis.
func (b *Bucket) send(ctx context.Context, i int, a act, send func(context.Context, s3.Session, *s3.Call) error) (status int, err error) {
	s, done := b.session(i)
	defer done()
	return s.send(ctx, a, send)
}

// send sends one request about a bucket. The error is a *Diagnosis.
func (s *session) send(ctx context.Context, a act, send func(context.Context, s3.Session, *s3.Call) error) (status int, err error) {
	var c s3.Call
	err = s.perform(ctx, a, &c, func(ctx context.Context) error { return send(ctx, s.Session, &c) })
	return c.Status, err
}

// Ensure makes the bucket on every host that has none, with the features, and reports whether it made one. A bucket that is there
// already is not changed: if it lacks a feature, that is an error. A host that does not let the bucket be seen, or does not know
// how, is taken to have it: to put and get objects is enough for a run, and the preflight finds out.
func (b *Bucket) Ensure(ctx context.Context, features ...Feature) (made bool, err error) {
	err = b.eachHostAfterFirst(func(i int) error {
		return outwait(ctx, func() error { return persist(ctx, func() error { return b.ensureOn(ctx, i, features) }) })
	})
	if err == nil {
		err = b.refused(ctx)
	}
	return slices.Contains(b.made, true), err
}

// refused returns why nothing can be measured in the bucket; nil if it can. Without the right to ask, requests show what the account lacks.
func (b *Bucket) refused(ctx context.Context) error {
	facts, _ := b.AskAccount(ctx)
	for _, f := range facts {
		if f.Refusal != "" {
			return &Diagnosis{Host: b.store.Hosts()[0], Problem: f.Refusal, Hint: "use another --bucket"}
		}
	}
	return nil
}

// AskAccount returns what the first host says of the account; see ops.AskAccount.
func (b *Bucket) AskAccount(ctx context.Context) (facts []s3.Fact, err error) {
	_, err = b.send(ctx, 0, actDescribe, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		facts, err = ops.AskAccount(ctx, s, c)
		return err
	})
	return facts, err
}

// ensureOn makes the bucket on one host that has none.
func (b *Bucket) ensureOn(ctx context.Context, i int, features []Feature) error {
	exists, err := b.existsOn(ctx, i)
	unseen := err != nil && (isDenied(err) || isStatus(err, http.StatusBadRequest) || lacksRequest(err))
	switch {
	case unseen || err == nil && exists:
		return hasFeatures(ctx, b, i, features, false)
	case err != nil:
		return err
	}
	if err = b.makeOn(ctx, i, features); lacksRequest(err) && len(features) == 0 {
		return nil
	}
	return err
}

// lacksRequest reports whether a host does not know a request about the bucket.
func lacksRequest(err error) bool {
	return isStatus(err, http.StatusMethodNotAllowed) || isStatus(err, http.StatusNotImplemented)
}

func isStatus(err error, status int) bool {
	e := s3.AsError(err)
	return e.Status == status && e.Class != s3.ClassPlainToTLS
}

// Exists reports whether all hosts have the bucket.
func (b *Bucket) Exists(ctx context.Context) (bool, error) {
	var lacks atomic.Bool
	err := b.eachHostAfterFirst(func(i int) error {
		exists, err := b.existsOn(ctx, i)
		if !exists {
			lacks.Store(true)
		}
		return err
	})
	return !lacks.Load(), err
}

// existsOn sends a HEAD to one host. Its response has no body and so cannot say why it is refused; a listing of one key then
// says the reason.
func (b *Bucket) existsOn(ctx context.Context, i int) (bool, error) {
	status, err := b.send(ctx, i, actLook, ops.HeadBucket)
	if err == nil || status == 0 {
		return err == nil, err
	}
	if status != http.StatusNotFound {
		status, err = b.send(ctx, i, actLook, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			return ops.List(ctx, s, c, &ops.Listing{MaxKeys: 1})
		})
	}
	if status == http.StatusNotFound || s3.AsError(err).Says(s3.Deleting) {
		return false, nil
	}
	return err == nil, err
}

func (b *Bucket) makeOn(ctx context.Context, i int, features []Feature) error {
	status, err := b.send(ctx, i, actCreate, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return ops.CreateBucket(ctx, s, c, b.store.Region(i), slices.Contains(features, Lock))
	})
	if err == nil {
		return enable(ctx, b, i, features)
	}
	if status != http.StatusConflict && status < http.StatusInternalServerError {
		return err
	}
	// Somebody else may have made it in the meantime, which some servers respond to with 500. It will do if it can be used.
	if exists, _ := b.existsOn(ctx, i); exists {
		return hasFeatures(ctx, b, i, features, false)
	}
	return err
}

// Remove removes the bucket, which must be empty: from the hosts where Ensure made it, or from all if it made none.
func (b *Bucket) Remove(ctx context.Context) error {
	everywhere := !slices.Contains(b.made, true)
	return b.eachHostAfterFirst(func(i int) error {
		if !everywhere && !b.made[i] {
			return nil
		}
		return ignoreNotFound(b.send(ctx, i, actRemove, ops.RemoveBucket))
	})
}

// ignoreNotFound returns the error of a request after which something is gone; what was never there is no fault.
func ignoreNotFound(status int, err error) error {
	if status == http.StatusNotFound {
		return nil
	}
	return err
}

// Uploads calls each for every unfinished multipart upload below prefix, once for each even where several hosts show it.
func (b *Bucket) Uploads(ctx context.Context, prefix string, each func(ops.Upload) error) error {
	seen := map[ops.Upload]bool{}
	for i := range b.made {
		l := &ops.Listing{Prefix: prefix, Uploads: true}
		for more := true; more; more = l.Next != "" {
			l.Token = l.Next
			_, err := b.send(ctx, i, actUploads, func(ctx context.Context, s s3.Session, c *s3.Call) error { return ops.List(ctx, s, c, l) })
			if err != nil {
				return err
			}
			for _, e := range l.Entries {
				u := ops.Upload{Key: e.Key, ID: e.Version}
				if seen[u] {
					continue
				}
				seen[u] = true
				if err := each(u); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Abort ends an unfinished upload on the hosts that know it. One that none of them knows is over already.
func (b *Bucket) Abort(ctx context.Context, u ops.Upload) error {
	abort, done := b.Aborts()
	defer done()
	return abort(ctx, u)
}

// Aborts returns a function that does what Abort does, for many uploads, one after the other. It keeps a connection to each
// host, which done closes.
func (b *Bucket) Aborts() (abort func(context.Context, ops.Upload) error, done func()) {
	sessions, dones := make([]*session, len(b.made)), make([]func(), len(b.made))
	for i := range sessions {
		sessions[i], dones[i] = b.session(i)
	}
	abort = func(ctx context.Context, u ops.Upload) error {
		return b.eachHostAfterFirst(func(i int) error {
			return ignoreNotFound(sessions[i].send(ctx, actAbort, func(ctx context.Context, s s3.Session, c *s3.Call) error {
				c.Key = u.Key
				return ops.AbortUpload(ctx, s, c, u.ID)
			}))
		})
	}
	return abort, func() {
		for _, done := range dones {
			done()
		}
	}
}

// Hosts returns the number of hosts of the store.
func (b *Bucket) Hosts() int { return len(b.made) }

// Versioned reports whether a deletion by name leaves a marker behind on any host: it keeps versions of objects, or did so until
// that was suspended. Many servers cannot say; then the error says why.
func (b *Bucket) Versioned(ctx context.Context) (bool, error) {
	var any atomic.Bool
	err := b.eachHostAfterFirst(func(i int) error {
		_, err := b.send(ctx, i, actVersions, func(ctx context.Context, s s3.Session, c *s3.Call) error {
			state, err := ops.GetVersioning(ctx, s, c)
			if state == ops.VersioningEnabled || state == ops.VersioningSuspended {
				any.Store(true)
			}
			return err
		})
		return err
	})
	if any.Load() {
		err = nil
	}
	return any.Load(), err
}
