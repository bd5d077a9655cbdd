// Package preflight checks hosts, credentials and bucket before a run, and explains in one line what is wrong with them.
package preflight

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// When the run is interrupted, uploadGrace is for an upload under way, and deletionGrace for the deletion of what was uploaded.
const uploadGrace = 2 * time.Second

var deletionGrace = 10 * time.Second

// TryWrite puts, gets and deletes one tiny object through every host, so that what is wrong is said before a run and not by
// each of its operations. The object is called key with the host's number; it must not exist. The error is a *Diagnosis of the
// first host that fails, in their order. With several keys each of them does so, all but the first through the first host. The bucket
// must exist (Ensure).
func (b *Bucket) TryWrite(ctx context.Context, key string) error {
	err := b.eachHost(0, func(i int) error {
		s, done := b.session(i)
		defer done()
		return persist(ctx, func() error { return tryWrite(ctx, s, fmt.Sprintf("%s.%d", key, i)) })
	})
	if err != nil {
		return err
	}
	return b.eachKey(func(s *session, k int) error {
		return persist(ctx, func() error { return tryWrite(ctx, s, fmt.Sprintf("%s.key%d", key, k)) })
	})
}

func tryWrite(ctx context.Context, session *session, key string) error {
	content := make([]byte, 64)
	_, _ = rand.Read(content) // never fails

	c := &s3.Call{Key: key, Body: bytes.NewReader(content), Size: int64(len(content))}
	// A run that is interrupted now leaves nothing behind either, so what is put is deleted in any case. It must have
	// arrived by then: a server that is slow would put it after the deletion.
	tidy, cancel := WithGrace(ctx, deletionGrace)
	defer cancel()
	if err := PutWithGrace(ctx, session, c); err != nil {
		switch {
		case ctx.Err() != nil || maybeStored(err, c):
			session.wrote()
			return left(err, ops.Delete(tidy, session, &s3.Call{Key: key}), key)
		case s3.AsError(err).Class == s3.ClassTimeout && !c.Sent.IsZero():
			return left(err, err, key) // to try and delete it would take as long once more
		}
		return err
	}
	session.wrote()
	version := c.VersionID
	err := tryGet(ctx, session, key, content)
	deleteErr := Remove(tidy, session, c, ops.ObjectID{Key: key, Version: version})
	if err == nil {
		err = deleteErr
	}
	return left(err, deleteErr, key)
}

// Remove deletes an object of the preflight. Some servers make up ids of versions, so that what has one is deleted by
// its name too, unless the bucket says that it keeps versions.
func Remove(ctx context.Context, session s3.Session, c *s3.Call, id ops.ObjectID) error {
	c.Reset()
	c.Key, c.Version = id.Key, id.Version
	err := ops.Delete(ctx, session, c)
	if id.Version == "" {
		return err
	}
	c.Reset()
	if state, unknown := ops.GetVersioning(ctx, session, c); unknown == nil && state != "" {
		return err
	}
	c.Reset()
	c.Key = id.Key
	if err = ops.Delete(ctx, session, c); s3.IsNotFound(err) {
		return nil
	}
	return err
}

// maybeStored reports whether the object of an upload that failed may be in the bucket.
func maybeStored(err error, c *s3.Call) bool {
	e := s3.AsError(err)
	if e.Status == 0 {
		return !c.Sent.IsZero() && (e.Class == s3.ClassClosed || e.Class == s3.ClassReset)
	}
	return e.Status/100 == 2 || e.Status/100 == 5 && e.Status != http.StatusNotImplemented
}

// left adds to an error that the object of the preflight may stay, if it was not deleted.
func left(err, deleteErr error, key string) error {
	var d *Diagnosis
	if deleteErr == nil || s3.AsError(deleteErr).Status == http.StatusNotFound {
		return err
	}
	if errors.As(err, &d) {
		d.Left = key
		return err
	}
	return fmt.Errorf("%w; the object %q of the preflight may stay in the bucket", err, key)
}

// PutWithGrace puts an object, and gives that time to be over when ctx ends: what is deleted next must have arrived.
func PutWithGrace(ctx context.Context, session s3.Session, c *s3.Call) error {
	if ctx.Err() != nil {
		return ops.Put(ctx, session, c)
	}
	ctx, cancel := WithGrace(ctx, uploadGrace)
	defer cancel()
	return ops.Put(ctx, session, c)
}

// WithGrace makes a context that ends a while after ctx.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
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

func tryGet(ctx context.Context, session *session, key string, want []byte) error {
	var got bytes.Buffer
	lag, err := Late(ctx, func() error {
		got.Reset()
		return ops.Get(ctx, session, &s3.Call{Key: key, Size: -1, Into: &limitedBuffer{&got, 64 << 10}})
	})
	if err == nil {
		session.noteLag(lag)
	}
	e := s3.AsError(err)
	d, server := &Diagnosis{Host: session.host, Err: err}, idiomOf(session.cfg.Store).server
	switch {
	case e.Says(s3.NotThere):
		d.Response = response(e)
		d.say("an object that was just put is not there", "check that --host leads to one server only, and that it is "+server)
	case err != nil && e.Class != s3.ClassDiffers, bytes.Equal(got.Bytes(), want):
		return err
	default:
		d.say(Compare(server, got.Bytes(), want))
	}
	return d
}

// Compare returns what is wrong with a server, as in "an S3 server", that returns got as the contents of an object that was put with
// others, and what to do about it. The problem is empty if they are the same.
func Compare(server string, got, want []byte) (problem, hint string) {
	switch {
	case bytes.Equal(got, want):
		return "", ""
	case framed(got, want):
		return "the server stores the framing of an upload as part of the object",
			"its figures would be of other objects than asked for; use another server or version"
	case bytes.Contains(bytes.ToLower(got), []byte("<html")):
		return "the host is not " + server + ": a web page came back in place of an object",
			"check --host and its port, which may be that of a web console"
	}
	return fmt.Sprintf("an object of %d bytes came back different (%d bytes)", len(want), len(got)),
		"the host is not " + server + ", or a broken one; check --host"
}

// framed reports whether an object came back with the framing of aws-chunked.
func framed(got, want []byte) bool {
	return bytes.Contains(got, []byte("chunk-signature=")) || bytes.Contains(got, want) && bytes.Contains(got, []byte("x-amz-checksum-"))
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

// TryRead lists the first key below prefix through every host, and with every key as TryWrite does: what a run that
// writes nothing can try without leaving a trace. The error is a *Diagnosis of the first host that fails.
func (b *Bucket) TryRead(ctx context.Context, prefix string) error {
	try := func(s *session) error {
		return persist(ctx, func() error { return ops.List(ctx, s, &s3.Call{}, &ops.Listing{Prefix: prefix, MaxKeys: 1}) })
	}
	err := b.eachHost(0, func(i int) error {
		s, done := b.session(i)
		defer done()
		return try(s)
	})
	if err != nil {
		return err
	}
	return b.eachKey(func(s *session, _ int) error { return try(s) })
}
