package s3

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// Upload is an unfinished multipart upload.
type Upload struct{ Key, ID string }

// Bucket is what a run may ask about its bucket.
type Bucket interface {
	Name() string
	// Ensure makes the bucket if it does not exist on any of the hosts, and reports whether it did.
	Ensure(ctx context.Context) (made bool, err error)
	Exists(ctx context.Context) (bool, error)
	// Remove removes the bucket, which must be empty.
	Remove(ctx context.Context) error
	// Versioned reports whether a deletion by name leaves something behind: the bucket keeps versions, or did so once. Many
	// servers cannot say, and respond with errors of every kind.
	Versioned(ctx context.Context) (bool, error)
	// Uploads calls each for every unfinished multipart upload below prefix.
	Uploads(ctx context.Context, prefix string, each func(Upload) error) error
	// Abort ends an unfinished multipart upload.
	Abort(ctx context.Context, u Upload) error
}

// bucket is the bucket on all hosts of a store. Hosts may be doors to one server or servers of their own, and
// there is no way to know; so everything is done on each of them, and what another host did already is no fault.
type bucket struct {
	store *store

	mu   sync.Mutex
	made []bool // by host: Ensure made the bucket there
}

// Name is the name of the bucket.
func (b *bucket) Name() string { return b.store.cfg.Bucket }

// eachHost calls do for every host: for the first one alone, so that hosts of one server do not race to make the same
// bucket, then for the others side by side. It gives the error of the first host that failed, in their order.
func (b *bucket) eachHost(do func(i int) error) error {
	if err := do(0); err != nil {
		return err
	}
	return sideBySide(1, len(b.store.endpoints), do)
}

// ask sends one request about the bucket to a host. The error is a *Diagnosis.
func (b *bucket) ask(ctx context.Context, i int, a act, send func(context.Context, Session, *Call) error) (status int, err error) {
	cfg, host := &b.store.cfg, b.store.endpoints[i].url
	s := &session{store: b.store, pool: single(i)}
	defer s.close()
	var c Call
	err = unmeasured(ctx, cfg, host, a, func(ctx context.Context) error { return send(ctx, s, &c) })
	if c.Status == 0 {
		err = probeTLS(ctx, cfg, host, err)
	}
	return c.Status, diagnose(cfg, host, a, err)
}

// Ensure makes the bucket on every host that has none. A host that does not let the bucket be seen, or does not know
// how, is taken to have it: to put and get objects is enough for a run, and the preflight finds out.
func (b *bucket) Ensure(ctx context.Context) (made bool, err error) {
	err = b.eachHost(func(i int) error {
		exists, err := b.existsOn(ctx, i)
		switch {
		case err != nil && (isDenied(err) || isStatus(err, http.StatusBadRequest) || lacksRequest(err)):
			return nil
		case err != nil || exists:
			return err
		}
		if err = b.makeOn(ctx, i); lacksRequest(err) {
			return nil
		}
		return err
	})
	return slices.Contains(b.made, true), err
}

// lacksRequest reports whether a host does not know a request about the bucket.
func lacksRequest(err error) bool {
	return isStatus(err, http.StatusMethodNotAllowed) || isStatus(err, http.StatusNotImplemented)
}

func isStatus(err error, status int) bool {
	e := asError(err)
	return e.Status == status && e.Class != classPlainToTLS
}

// Exists reports whether all hosts have the bucket.
func (b *bucket) Exists(ctx context.Context) (bool, error) {
	all := true
	var mu sync.Mutex
	err := b.eachHost(func(i int) error {
		exists, err := b.existsOn(ctx, i)
		mu.Lock()
		defer mu.Unlock()
		all = all && exists
		return err
	})
	return all && err == nil, err
}

// existsOn asks one host with a HEAD. Its response has no body and so cannot say why it is refused; then a listing of one
// key is asked for to hear the reason.
func (b *bucket) existsOn(ctx context.Context, i int) (bool, error) {
	status, err := b.ask(ctx, i, actLook, func(ctx context.Context, s Session, c *Call) error {
		c.about("", http.MethodHead, NoAccess)
		return s.Do(ctx, c)
	})
	if err == nil || status == 0 {
		return err == nil, err
	}
	if status != http.StatusNotFound {
		status, err = b.ask(ctx, i, actLook, func(ctx context.Context, s Session, c *Call) error {
			return List(ctx, s, c, &Listing{MaxKeys: 1})
		})
	}
	if status == http.StatusNotFound {
		return false, nil
	}
	return err == nil, err
}

func (b *bucket) makeOn(ctx context.Context, i int) error {
	status, err := b.ask(ctx, i, actCreate, func(ctx context.Context, s Session, c *Call) error {
		c.about("", http.MethodPut, NoAccess)
		if region := b.store.endpoints[i].region; region != defaultRegion {
			c.SetDocument([]byte(`<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>` +
				escapeXML(region) + "</LocationConstraint></CreateBucketConfiguration>"))
		}
		return s.Do(ctx, c)
	})
	if err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.made[i] = true
		return nil
	}
	if status != http.StatusConflict {
		return err
	}
	// Somebody else made it in the meantime. It will do if it can be used.
	if exists, _ := b.existsOn(ctx, i); exists {
		return nil
	}
	return err
}

// Remove removes the bucket: from the hosts where Ensure made it, or from all if it made none.
func (b *bucket) Remove(ctx context.Context) error {
	b.mu.Lock()
	only := slices.Clone(b.made)
	b.mu.Unlock()
	everywhere := !slices.Contains(only, true)
	return b.eachHost(func(i int) error {
		if !everywhere && !only[i] {
			return nil
		}
		return b.end(ctx, i, actRemove, func(ctx context.Context, s Session, c *Call) error {
			c.about("", http.MethodDelete, NoAccess)
			return s.Do(ctx, c)
		})
	})
}

// end sends a request after which something is gone; what was never there is no fault.
func (b *bucket) end(ctx context.Context, i int, a act, send func(context.Context, Session, *Call) error) error {
	status, err := b.ask(ctx, i, a, send)
	if status == http.StatusNotFound {
		return nil
	}
	return err
}

// Uploads calls each for every unfinished upload below prefix, once for each even where several hosts show it.
func (b *bucket) Uploads(ctx context.Context, prefix string, each func(Upload) error) error {
	seen := map[Upload]bool{}
	for i := range b.store.endpoints {
		l := &Listing{Prefix: prefix, Uploads: true}
		for more := true; more; more = l.Next != "" {
			l.Token = l.Next
			_, err := b.ask(ctx, i, actUploads, func(ctx context.Context, s Session, c *Call) error { return List(ctx, s, c, l) })
			if err != nil {
				return err
			}
			for _, e := range l.Entries {
				u := Upload{e.Key, e.Version}
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
func (b *bucket) Abort(ctx context.Context, u Upload) error {
	return b.eachHost(func(i int) error {
		return b.end(ctx, i, actAbort, func(ctx context.Context, s Session, c *Call) error {
			c.Key = u.Key
			return AbortUpload(ctx, s, c, u.ID)
		})
	})
}

// Versioned reports whether any host keeps versions of objects, or did so until that was suspended: then a deletion by name
// leaves a marker in either case. Many servers cannot say; then the error says why.
func (b *bucket) Versioned(ctx context.Context) (bool, error) {
	var any atomic.Bool
	err := b.eachHost(func(i int) error {
		_, err := b.ask(ctx, i, actVersions, func(ctx context.Context, s Session, c *Call) error {
			c.about("", http.MethodGet, NoAccess)
			c.Query = append(c.Query, Param{Name: "versioning"})
			c.Parse = func(r io.Reader) error {
				root, err := xmlWalk(r, func(e element) {
					if e.name == "Status" && (string(e.text) == "Enabled" || string(e.text) == "Suspended") {
						any.Store(true)
					}
				})
				if err != nil {
					return badResponse(root, err)
				}
				return nil
			}
			return s.Do(ctx, c)
		})
		return err
	})
	if any.Load() {
		err = nil
	}
	return any.Load(), err
}
