package s3

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

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

// Ensure makes the bucket on every host that has none. A host that does not let the bucket be seen is taken to have it:
// rights to objects alone are enough for a run, and the preflight finds out.
func (b *sdkBucket) Ensure(ctx context.Context) (made bool, err error) {
	err = b.eachHost(func(i int, h *sdkHost) error {
		exists, err := b.existsOn(ctx, h)
		if exists || isDenied(err) {
			return nil
		}
		if err == nil {
			err = b.makeOn(ctx, i, h)
		}
		return diagnose(&b.store.cfg, h.url, actCreate, err)
	})
	return slices.Contains(b.made, true), err
}

// Exists tells whether all hosts have the bucket.
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
func (b *sdkBucket) existsOn(ctx context.Context, h *sdkHost) (bool, error) {
	x, requestContext := newExchange(ctx)
	exists, err := h.core.BucketExists(requestContext, b.Name())
	err = x.outcome(err)
	switch {
	case err == nil:
		return exists, nil
	case x.status == 0:
		return false, err
	case x.status == http.StatusNotFound:
		return false, nil
	}
	x, requestContext = newExchange(ctx)
	body, err := h.raw(requestContext, x, http.MethodGet, url.Values{"list-type": {"2"}, "max-keys": {"1"}}, nil)
	if err == nil {
		return true, body.Close()
	}
	if x.status == http.StatusNotFound {
		return false, nil
	}
	return false, err
}

func (b *sdkBucket) makeOn(ctx context.Context, i int, h *sdkHost) error {
	x, requestContext := newExchange(ctx)
	err := h.core.MakeBucket(requestContext, b.Name(), minio.MakeBucketOptions{Region: h.signer.region})
	if x.status/100 == 2 {
		err = nil
	}
	if err = x.outcome(err); err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.made[i] = true
		return nil
	}
	if x.status != http.StatusConflict {
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
		x, requestContext := newExchange(ctx)
		err := h.core.RemoveBucket(requestContext, b.Name())
		if x.status/100 == 2 || x.status == http.StatusNotFound { // gone, or never there
			return nil
		}
		return x.outcome(err)
	})
}

// Uploads calls each for every unfinished upload below prefix, once for each even where several hosts show it.
func (b *sdkBucket) Uploads(ctx context.Context, prefix string, each func(Upload) error) error {
	seen := map[Upload]bool{}
	for _, h := range b.store.hosts {
		err := uploadsOn(ctx, h, b.Name(), prefix, func(u Upload) error {
			if seen[u] {
				return nil
			}
			seen[u] = true
			return each(u)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func uploadsOn(ctx context.Context, h *sdkHost, bucket, prefix string, each func(Upload) error) error {
	var key, id string
	for {
		x, requestContext := newExchange(ctx)
		page, err := h.core.ListMultipartUploads(requestContext, bucket, prefix, key, id, "", 0)
		if err := x.outcome(err); err != nil {
			return err
		}
		for _, u := range page.Uploads {
			if err := each(Upload{Key: u.Key, ID: u.UploadID}); err != nil {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		if page.NextKeyMarker == key && page.NextUploadIDMarker == id {
			return &Error{Class: classBadAnswer, Status: x.status, Message: "the listing of uploads does not come to an end"}
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// Abort ends an unfinished upload on the hosts that know it. One that nobody knows is over already.
func (b *sdkBucket) Abort(ctx context.Context, u Upload) error {
	return b.eachHost(func(_ int, h *sdkHost) error {
		x, requestContext := newExchange(ctx)
		err := h.core.AbortMultipartUpload(requestContext, b.Name(), u.Key, u.ID)
		if x.status/100 == 2 || x.status == http.StatusNotFound {
			return nil
		}
		return x.outcome(err)
	})
}

// Versioned tells whether the bucket keeps versions. Many servers cannot say; then the error tells why.
func (b *sdkBucket) Versioned(ctx context.Context) (bool, error) {
	x, requestContext := newExchange(ctx)
	v, err := b.store.hosts[0].core.GetBucketVersioning(requestContext, b.Name())
	if err := x.outcome(err); err != nil {
		return false, err
	}
	return v.Enabled(), nil
}
