package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
	"warp/pkg/s3/directory"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/hosts"
)

// session is one worker's way to the store, over a client of either engine.
type session struct {
	store  *store
	worker int
	pool   hosts.Pool
	keys   *atomic.Pointer[exchange.Keys] // that sign requests; nil: they are not signed
	key    int                            // number of keys

	sent   *sentMethods // own, or the one that short sessions of the store have in common
	own    sentMethods
	closed atomic.Bool // the store was closed
	mu     sync.Mutex  // held through an operation, so that Close neither waits for one nor disturbs it
	req    exchange.Request
	reader // its client is nil until one is needed

	redirects *hosts.Redirects // nil: there was none
	headers   []s3.Header      // of a copy, or a conditional request
}

// Dialect is that of the store.
func (s *session) Dialect() s3.Dialect { return s.dialect }

// Bucket is none: each call says which it is about.
func (s *session) Bucket() int { return 0 }

// Do chooses a host and sends the request, more than once only if Config.Retries says so.
func (s *session) Do(ctx context.Context, c *s3.Call) (err error) {
	c.Response = s3.Response{Got: c.Got[:0]}
	if err := s.open(ctx, c); err != nil {
		return err
	}
	defer s.done()
	host := s.pool.Take()
	defer func() { s.pool.Done(host, err) }()
	c.Host = s.store.endpoints[host].URL
	for try := 0; ; try++ {
		err = s.once(ctx, c, host)
		if err == nil || s3.Outcome(err, c.Expected) != 0 || !retry(ctx, &s.store.cfg, c, err, try) {
			return err
		}
	}
}

// open makes the request of a Call. If there is no error, done must be called.
func (s *session) open(ctx context.Context, c *s3.Call) error {
	if err := checkCall(c); err != nil {
		return err
	}
	if s.store.directory != nil {
		if err := directory.Adapt(c); err != nil {
			return err
		}
	}
	loop.Lock(ctx, &s.mu)
	if err := s.prepare(c); err != nil {
		s.mu.Unlock()
		return s3.InvalidRequest(err)
	}
	return nil
}

// prepare makes the request, and the client if this is the first one.
func (s *session) prepare(c *s3.Call) (err error) {
	if s.client == nil {
		if s.client, err = s.store.engine.newClient(s.worker, s.keys); err != nil {
			return err
		}
	}
	s.headers = s.store.common.request(&s.req, c, s.headers)
	switch {
	case s.uploads == nil || c.Access != s3.MakesObjects && !c.SendsContents():
		return nil
	case c.Auth != s3.AuthHeader:
		return errSignedAhead
	}
	return s.uploads.set(c, &s.req)
}

// once sends the request and checks its response.
func (s *session) once(ctx context.Context, c *s3.Call, host int) error {
	if d := s.store.directory; d != nil && s.keys != nil {
		k, err := d.Keys(ctx, c, s.key)
		if err != nil {
			return s3.Classify(err)
		}
		s.req.Keys = k
	}
	if err := s.authorize(c, host); err != nil {
		return err
	}
	err := s.client.Do(ctx, host, &s.req)
	r := s.client.Result()
	if c.Start = r.Start; r.MaybeSent {
		c.Requests += 1 + r.Resent
	}
	s.note(c)
	if err == nil && s.redirected(c) {
		err = s.follow(ctx, c, host)
	}
	switch {
	case errors.Is(err, exchange.ErrBody), errors.Is(err, exchange.ErrRequest):
		err = s3.InvalidRequest(err)
	case err != nil:
		err = s3.ClassifyEarly(err)
	default:
		err = s.checkResponse(c)
		s.client.Finish()
		c.Arrived = s.client.Result().Arrived
	}
	if s.store.cfg.Debug != nil {
		s.log(c, host, err)
	}
	return err
}

// authorize signs the request for a host, unless the engine does.
func (s *session) authorize(c *s3.Call, host int) error {
	if c.Auth == s3.AuthHeader || s.keys == nil && c.Auth == s3.AuthQuery {
		return nil
	}
	if s.req.Chunks != nil && s.req.Chunks.Signed || c.Payload != "" {
		return &s3.Error{Class: s3.ClassBadRequest, Message: "a request that is signed ahead cannot have its contents signed"}
	}
	s.req.Unsigned = true
	var keys *exchange.Keys
	if s.keys != nil {
		keys = s.keys.Load()
	}
	e := s.store.endpoints[host]
	if p, ok := s.dialect.(presigner); ok && c.Auth == s3.AuthQuery {
		return p.Presign(&s.req, c, keys, clock.Wall().Add(signatureLife))
	}
	if c.Auth == s3.AuthQuery {
		return presign(&s.req, c, e, keys)
	}
	if s.uploads != nil {
		return s3.InvalidRequest(errSignedAhead)
	}
	fields, err := formFields(c, *s.store.common.headers[s3.MakesObjects])
	if err != nil {
		return err
	}
	if keys != nil {
		if fields, err = signForm(fields, c.Size, s.store.cfg.BucketName(c.Bucket), e.Region, keys); err != nil {
			return s3.InvalidRequest(err)
		}
	}
	return setForm(&s.req, c, fields)
}

// note adds an exchange to what is known of the request.
func (s *session) note(c *s3.Call) {
	r := s.client.Result()
	c.Status, c.Sent, c.FirstByte, c.Arrived = r.Status, r.Sent, r.FirstByte, time.Time{}
	if r.Connected {
		c.Connected++
		c.Connect += r.Connect
		c.LongestConnect = max(c.LongestConnect, r.Connect)
	}
	if r.HTTP2 > 0 {
		c.Streams++
		c.Stream = r.HTTP2
	}
	c.MaybeSent = c.MaybeSent || r.MaybeSent
	c.Resent += r.Resent
	if r.MaybeSent {
		s.sent.add(s.dialect, c, 1+r.Resent)
	}
}

// redirected reports whether the response redirects the request. One whose status is expected is an outcome.
func (s *session) redirected(c *s3.Call) bool {
	return (c.Status == http.StatusTemporaryRedirect || c.Status == http.StatusPermanentRedirect) &&
		!slices.Contains(c.Expected, c.Status) && len(s.client.Header("location")) > 0
}

// follow sends the request again, with a new signature, wherever responses redirect it to.
func (s *session) follow(ctx context.Context, c *s3.Call, host int) error {
	if s.redirects == nil {
		s.redirects = hosts.NewRedirects(&s.store.cfg, s.store.endpoints)
	}
	r := s.redirects
	r.Begin(&s.req, host, c.Auth == s3.AuthForm)
	for n := 1; s.redirected(c); n++ {
		to, start := string(s.client.Header("location")), s.client.Result().Start
		region := string(s.client.Header("x-amz-bucket-region"))
		_, err := s.client.Discard()
		s.client.Finish()
		if err != nil {
			return err
		}
		c.Redirects++
		if s.store.cfg.Debug != nil {
			s.store.cfg.Debug("%s %s %d redirected to %s", s.req.Method, withoutQuery(r.At.String()), c.Status, withoutQuery(to))
		}
		target, err := r.Follow(s.client, to, region)
		if err == nil && n > hosts.MaxRedirects {
			err = fmt.Errorf("more than %d redirects", hosts.MaxRedirects)
		}
		if err != nil {
			return s3.Errorf(s3.ClassRedirect, c.Status, "%v: %s", err, withoutQuery(to))
		}
		err = s.client.Do(ctx, target, &r.Request)
		s.note(c)
		c.Redirected += s.client.Result().Start.Sub(start)
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutQuery cuts the query, which may hold a signature.
func withoutQuery(location string) string {
	path, _, _ := strings.Cut(location, "?")
	return path
}

// done ends an operation.
func (s *session) done() {
	s.mu.Unlock()
	if s.closed.Load() {
		s.close()
	}
}

// close closes the connections, unless an operation is under way; then that does it at its end.
func (s *session) close() {
	s.closed.Store(true)
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if s.client != nil {
		s.client.Close()
	}
}

// log writes the line of one request, without a query that holds its signature.
func (s *session) log(c *s3.Call, host int, err error) {
	outcome := "ok"
	if err != nil {
		outcome = err.Error()
		if e := s3.AsError(err); e.Detail != "" {
			outcome += ": " + e.Detail
		}
	}
	q := s.req
	q.Suffix = ""
	u := q.URL(s.store.endpoints[host].Bucket)
	if s.req.Unsigned {
		u.RawQuery = ""
	}
	s.store.cfg.Debug("%s %s%s %d %v %s", s.req.Method, u.Host, u.RequestURI(), c.Status, clock.Now().Sub(c.Start), outcome)
}

// retry decides whether a request that failed is to be sent again, try counting from 0. If so it has waited a while, and
// counted it.
func retry(ctx context.Context, cfg *s3.Config, c *s3.Call, err error, try int) bool {
	if try >= cfg.Retries || c.Once || c.Bytes > 0 || !s3.Retryable(err) || !loop.Pause(ctx, cfg.RetryPause(try)) {
		return false
	}
	c.Retries++
	return true
}
