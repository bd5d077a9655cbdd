package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"warp/pkg/op"
)

const (
	preflightParallel = 16
	preflightSize     = 64
	preflightGrace    = 2 * time.Second // for a request under way when the run is interrupted
)

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
	host, session := store.Hosts()[0], store.Session(0)
	content := make([]byte, preflightSize)
	_, _ = rand.Read(content) // never fails

	c := &Call{Key: key, Body: bytes.NewReader(content), Size: preflightSize}
	// A run that is interrupted now leaves nothing behind either, so what is put is deleted in any case. It must have
	// arrived by then: a server that is slow would put it after the deletion.
	tidy := context.WithoutCancel(ctx)
	if err := putCalmly(ctx, session, c); err != nil {
		if ctx.Err() != nil {
			_ = session.Delete(tidy, &Call{Key: key}) // it may have arrived
		}
		return diagnose(&cfg, host, actPut, probeTLS(ctx, &cfg, err))
	}
	version := c.VersionID
	readErr := preflightGet(ctx, &cfg, host, session, key, content)
	c.Reset()
	c.Key, c.Version = key, version
	if err := session.Delete(tidy, c); err != nil && readErr == nil {
		return diagnose(&cfg, host, actDelete, err)
	}
	return readErr
}

// putCalmly puts an object, and gives that time to be over when ctx ends.
func putCalmly(ctx context.Context, session Session, c *Call) error {
	if ctx.Err() != nil {
		return session.Put(ctx, c)
	}
	calm, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if op.Pause(calm, preflightGrace) {
			cancel()
		}
	})()
	return session.Put(calm, c)
}

func preflightGet(ctx context.Context, cfg *Config, host string, session Session, key string, want []byte) error {
	var got bytes.Buffer
	c := &Call{Key: key, Size: -1, Into: &limitedBuffer{&got, 64 << 10}}
	err := session.Get(ctx, c)
	var e *Error
	switch {
	case errors.As(err, &e) && e.Code == "NoSuchKey":
		return &Diagnosis{host, "an object that was just put is not there", "check that --host leads to one server only, and that it is an S3 server", err}
	case err != nil && !(errors.As(err, &e) && e.Class == classDiffers):
		return diagnose(cfg, host, actGet, err)
	case err == nil && bytes.Equal(got.Bytes(), want):
		return nil
	case bytes.Contains(got.Bytes(), []byte("chunk-signature=")):
		return &Diagnosis{host, "the server stores the framing of an upload as part of the object", "its numbers would be of other objects than asked for; use another server or version", err}
	}
	return &Diagnosis{
		host, fmt.Sprintf("an object of %d bytes came back different (%d bytes)", len(want), got.Len()),
		"what answers there is not an S3 server, or a broken one; check --host", err,
	}
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

// probeTLS finds out whether a host that just hangs up on plain HTTP wants TLS: it tries a handshake.
func probeTLS(ctx context.Context, cfg *Config, err error) error {
	var e *Error
	if cfg.TLS || !errors.As(err, &e) || (e.Class != classClosed && e.Class != classReset) {
		return err
	}
	u, parseErr := url.Parse(cfg.hostURL(cfg.Hosts[0]))
	if parseErr != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: cfg.dialLimit()}, Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent over it
	conn, dialErr := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if dialErr != nil {
		return err
	}
	_ = conn.Close()
	return &Error{Class: classPlainToTLS, Message: e.Message, Err: err}
}
