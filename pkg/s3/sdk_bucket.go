package s3

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// bucketParallel is how many hosts are asked about the bucket at once.
const bucketParallel = 16

// sdkBucket is the bucket on all hosts of a store. Hosts may be doors to one server or servers of their own, and
// nothing tells which; so everything is done on each of them, and what another host did already is no fault.
type sdkBucket struct {
	store *sdkStore

	mu   sync.Mutex
	made []bool // by host: Ensure made the bucket there
}

// Name is the name of the bucket.
func (b *sdkBucket) Name() string { return b.store.cfg.Bucket }

// eachHost calls do for every host: for the first one alone, so that hosts of one server do not race to make the same
// bucket, then for the others side by side. It gives the error of the first host that failed, in their order.
func (b *sdkBucket) eachHost(do func(i int, h *sdkHost) error) error {
	hosts := b.store.hosts
	if err := do(0, hosts[0]); err != nil {
		return err
	}
	errs := make([]error, len(hosts))
	limit := make(chan struct{}, bucketParallel)
	var wg sync.WaitGroup
	for i, h := range hosts[1:] {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			errs[i+1] = do(i+1, h)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ask sends one request about the bucket to a host. The error is a *Diagnosis; that of an answer which is no success is
// the host's, whatever the SDK made of it.
func (b *sdkBucket) ask(ctx context.Context, h *sdkHost, a act, send func(context.Context, *exchange) error) (status int, err error) {
	cfg := &b.store.cfg
	err = unmeasured(ctx, cfg, h.url, a, func(ctx context.Context) error {
		x, ctx := newExchange(ctx)
		err := send(ctx, x)
		status = x.status
		return x.outcome(err)
	})
	if status == 0 {
		err = probeTLS(ctx, cfg, h.url, err)
	}
	return status, diagnose(cfg, h.url, a, err)
}

// Ensure makes the bucket on every host that has none. A host that does not let the bucket be seen, or does not know
// how, is taken to have it: to put and get objects is enough for a run, and the preflight finds out.
func (b *sdkBucket) Ensure(ctx context.Context) (made bool, err error) {
	err = b.eachHost(func(i int, h *sdkHost) error {
		exists, err := b.existsOn(ctx, h)
		switch {
		case err != nil && (isDenied(err) || isStatus(err, http.StatusBadRequest) || lacksRequest(err)):
			return nil
		case err != nil || exists:
			return err
		}
		if err = b.makeOn(ctx, i, h); lacksRequest(err) {
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
	return e != nil && e.Status == status && e.Class != classPlainToTLS
}

// Exists reports whether all hosts have the bucket.
func (b *sdkBucket) Exists(ctx context.Context) (bool, error) {
	all := true
	var mu sync.Mutex
	err := b.eachHost(func(_ int, h *sdkHost) error {
		exists, err := b.existsOn(ctx, h)
		mu.Lock()
		defer mu.Unlock()
		all = all && exists
		return err
	})
	return all && err == nil, err
}

// existsOn asks one host with a HEAD. Its answer has no body and so cannot say why it is refused; then a listing of one
// key is asked for to hear the reason.
func (b *sdkBucket) existsOn(ctx context.Context, h *sdkHost) (exists bool, err error) {
	status, err := b.ask(ctx, h, actLook, func(ctx context.Context, _ *exchange) (err error) {
		exists, err = h.core.BucketExists(ctx, b.Name())
		return err
	})
	switch {
	case err == nil:
		return exists, nil
	case status == 0:
		return false, err
	case status == http.StatusNotFound:
		return false, nil
	}
	status, err = b.ask(ctx, h, actLook, func(ctx context.Context, x *exchange) error {
		body, err := h.raw(ctx, x, http.MethodGet, url.Values{"list-type": {"2"}, "max-keys": {"1"}}, nil)
		if err != nil {
			return err
		}
		return body.Close()
	})
	if status == http.StatusNotFound {
		return false, nil
	}
	return err == nil, err
}

func (b *sdkBucket) makeOn(ctx context.Context, i int, h *sdkHost) error {
	status, err := b.ask(ctx, h, actCreate, func(ctx context.Context, x *exchange) error {
		err := h.core.MakeBucket(ctx, b.Name(), minio.MakeBucketOptions{Region: h.signer.region})
		if x.succeeded() { // the SDK wants exactly 200
			return nil
		}
		return err
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
	if exists, _ := b.existsOn(ctx, h); exists {
		return nil
	}
	return err
}

// Remove removes the bucket: from the hosts where Ensure made it, or from all if it made none.
func (b *sdkBucket) Remove(ctx context.Context) error {
	b.mu.Lock()
	only := slices.Clone(b.made)
	b.mu.Unlock()
	everywhere := !slices.Contains(only, true)
	return b.eachHost(func(i int, h *sdkHost) error {
		if !everywhere && !only[i] {
			return nil
		}
		return b.end(ctx, h, actRemove, func(ctx context.Context) error { return h.core.RemoveBucket(ctx, b.Name()) })
	})
}

// end sends a request after which something is gone; what was never there is no fault.
func (b *sdkBucket) end(ctx context.Context, h *sdkHost, a act, send func(context.Context) error) error {
	status, err := b.ask(ctx, h, a, func(ctx context.Context, x *exchange) error {
		if err := send(ctx); !x.succeeded() {
			return err
		}
		return nil // the SDK wants exactly 204
	})
	if status == http.StatusNotFound {
		return nil
	}
	return err
}

// Abort ends an unfinished upload on the hosts that know it. One that nobody knows is over already.
func (b *sdkBucket) Abort(ctx context.Context, u Upload) error {
	return b.eachHost(func(_ int, h *sdkHost) error {
		return b.end(ctx, h, actAbort, func(ctx context.Context) error {
			return h.core.AbortMultipartUpload(ctx, b.Name(), u.Key, u.ID)
		})
	})
}

// Versioned reports whether any host keeps versions of objects, or did so until that was suspended: then a deletion by name
// leaves a marker in either case. Many servers cannot say; then the error tells why.
func (b *sdkBucket) Versioned(ctx context.Context) (bool, error) {
	var any atomic.Bool
	err := b.eachHost(func(_ int, h *sdkHost) error {
		_, err := b.ask(ctx, h, actVersions, func(ctx context.Context, _ *exchange) error {
			v, err := h.core.GetBucketVersioning(ctx, b.Name())
			if err == nil && (v.Enabled() || v.Suspended()) {
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
