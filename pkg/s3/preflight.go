package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"warp/internal/clock"
)

const (
	parallelHosts  = 16
	preflightSize  = 64
	preflightGrace = 2 * time.Second // for an upload under way when the run is interrupted
)

// deletionGrace is for the deletion of what was uploaded when the run is interrupted.
var deletionGrace = 10 * time.Second

// Preflight puts, gets and deletes one tiny object through every host of cfg, so that what is wrong is said before a
// run and not by each of its operations. The object is called key with the host's number; it must not exist. The error
// is a *Diagnosis of the first host that fails, in their order. The bucket must have been looked after (Bucket.Ensure).
func Preflight(ctx context.Context, cfg Config, key string) error {
	return eachAlone(cfg, func(i int, one Config) error {
		return preflightHost(ctx, one, fmt.Sprintf("%s.%d", key, i))
	})
}

func preflightHost(ctx context.Context, cfg Config, key string) error {
	store, err := New(cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	session := &unmeasuredSession{session: store.Session(0), cfg: &cfg, probe: true}
	content := make([]byte, preflightSize)
	_, _ = rand.Read(content) // never fails

	c := &Call{Key: key, Body: bytes.NewReader(content), Size: preflightSize}
	// A run that is interrupted now leaves nothing behind either, so what is put is deleted in any case. It must have
	// arrived by then: a server that is slow would put it after the deletion.
	tidy, cancel := withGrace(ctx, deletionGrace)
	defer cancel()
	if err := PutWithGrace(ctx, session, c); err != nil {
		switch {
		case ctx.Err() != nil || mayHaveArrived(err, c):
			return left(err, Delete(tidy, session, &Call{Key: key}), key)
		case asError(err).Class == classTimeout && !c.Sent.IsZero():
			return left(err, err, key) // to try and delete it would take as long once more
		}
		return err
	}
	version := c.VersionID
	err = preflightGet(ctx, store.Hosts()[0], session, key, content)
	c.Reset()
	c.Key, c.Version = key, version
	deleteErr := Delete(tidy, session, c)
	if err == nil {
		err = deleteErr
	}
	return left(err, deleteErr, key)
}

// mayHaveArrived reports whether the object of an upload that failed may be in the bucket.
func mayHaveArrived(err error, c *Call) bool {
	e := asError(err)
	if e.Status == 0 {
		return !c.Sent.IsZero() && (e.Class == classClosed || e.Class == classReset)
	}
	return e.Status/100 == 2 || e.Status/100 == 5 && e.Status != http.StatusNotImplemented
}

// left adds to an error that the object of the preflight may stay, if it was not deleted.
func left(err, deleteErr error, key string) error {
	var d *Diagnosis
	if deleteErr == nil || asError(deleteErr).Status == http.StatusNotFound {
		return err
	}
	if errors.As(err, &d) {
		d.Left = key
		return err
	}
	return fmt.Errorf("%w; the object %q of the preflight may stay in the bucket", err, key)
}

// PutWithGrace puts an object, and gives that time to be over when ctx ends: what is deleted next must have arrived.
func PutWithGrace(ctx context.Context, session Session, c *Call) error {
	if ctx.Err() != nil {
		return Put(ctx, session, c)
	}
	ctx, cancel := withGrace(ctx, preflightGrace)
	defer cancel()
	return Put(ctx, session, c)
}

// withGrace makes a context that ends a while after ctx.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if clock.Pause(later, grace) {
			cancel()
		}
	})
	return later, func() {
		stop()
		cancel()
	}
}

func preflightGet(ctx context.Context, host string, session Session, key string, want []byte) error {
	var got bytes.Buffer
	c := &Call{Key: key, Size: -1, Into: &limitedBuffer{&got, 64 << 10}}
	err := Get(ctx, session, c)
	e := asError(err)
	d := &Diagnosis{Host: host, Err: err}
	switch {
	case e.Code == "NoSuchKey":
		d.Response = e.response()
		d.say("an object that was just put is not there", "check that --host leads to one server only, and that it is an S3 server")
	case err != nil && e.Class != classDiffers:
		return err
	case err == nil && bytes.Equal(got.Bytes(), want):
		return nil
	case bytes.Contains(got.Bytes(), []byte("chunk-signature=")):
		d.say("the server stores the framing of an upload as part of the object", "its figures would be of other objects than asked for; use another server or version")
	default:
		d.say(fmt.Sprintf("an object of %d bytes came back different (%d bytes)", len(want), got.Len()),
			"the host is not an S3 server, or a broken one; check --host")
	}
	return d
}

// limitedBuffer takes up to a number of bytes, so that a server that sends without end does no harm.
type limitedBuffer struct {
	*bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errors.New("far more came back than was put")
	}
	return b.Buffer.Write(p)
}

// PreflightRead asks every host of cfg for the beginning of a listing below prefix: what a run that writes nothing can
// try without leaving a trace. The error is a *Diagnosis of the first host that fails.
func PreflightRead(ctx context.Context, cfg Config, prefix string) error {
	return eachAlone(cfg, func(_ int, one Config) error {
		store, err := New(one)
		if err != nil {
			return err
		}
		defer store.Close()
		session := &unmeasuredSession{session: store.Session(0), cfg: &one, probe: true}
		return List(ctx, session, &Call{}, &Listing{Prefix: prefix, MaxKeys: 1})
	})
}

// eachAlone calls try for every host of cfg, with a configuration of that host alone, several at once. It returns the
// first error in the order of hosts.
func eachAlone(cfg Config, try func(i int, one Config) error) error {
	return sideBySide(0, len(cfg.Hosts), func(i int) error {
		one := cfg
		one.Hosts, one.Concurrency = cfg.Hosts[i:i+1], 1
		return try(i, one)
	})
}

// sideBySide calls do for the hosts from one to another, several at once, and returns the first error in their order.
func sideBySide(from, to int, do func(i int) error) error {
	errs := make([]error, to)
	var g errgroup.Group
	g.SetLimit(parallelHosts)
	for i := from; i < to; i++ {
		g.Go(func() error {
			errs[i] = do(i)
			return nil // the others go on
		})
	}
	_ = g.Wait()
	return cmp.Or(errs...)
}
