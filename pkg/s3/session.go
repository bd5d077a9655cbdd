package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// session is one worker's way to the store, over a client of either engine.
type session struct {
	store  *store
	worker int
	pool   pool                           // of hosts
	keys   *atomic.Pointer[exchange.Keys] // that sign requests; nil: they are not signed
	key    int                            // number of keys

	describer *describer // of uploads; nil: there is nothing to say about them

	sent   *sentMethods // own, or those that short sessions of the store have in common
	own    sentMethods
	closed atomic.Bool     // the store was closed
	mu     sync.Mutex      // held through an operation, so that Close neither waits for one nor disturbs it
	client exchange.Client // nil: none was needed yet
	req    exchange.Request

	redirects *redirects     // nil: there was none
	headers   []Header       // of a copy, or a conditional request
	outcomes  map[int]*Error // by status; errors of many requests
}

// Do chooses a host and sends the request, more than once only if Config.Retries says so.
func (s *session) Do(ctx context.Context, c *Call) (err error) {
	c.Response = Response{Got: c.Got[:0]}
	if err := s.open(c); err != nil {
		return err
	}
	defer s.done()
	host := s.pool.take()
	defer func() { s.pool.done(host, answerOf(err)) }()
	c.Host = s.store.endpoints[host].url
	for try := 0; ; try++ {
		err = s.once(ctx, c, host)
		if err == nil || Outcome(err, c.Expected) != 0 || !retry(ctx, &s.store.cfg, c, err, try) {
			return err
		}
	}
}

// open makes the request of a Call. If there is no error, done must be called.
func (s *session) open(c *Call) error {
	switch {
	case c.Body != nil && c.Size < 0, c.Method == http.MethodPut && c.Body == nil && c.Size > 0:
		return &Error{Class: ClassBadRequest, Message: "a body and its size must be given together"}
	case c.Auth == AuthForm && (c.If != (Conditions{}) || c.Source != ""):
		return &Error{Class: ClassBadRequest, Message: "a form has no condition (If-Match, If-None-Match), and no source to copy"}
	case c.Offset < 0:
		return &Error{Class: ClassBadRequest, Message: fmt.Sprintf("a range cannot begin at %d", c.Offset)}
	}
	if s.store.directory != nil {
		if err := setDirectory(c); err != nil {
			return err
		}
	}
	s.mu.Lock()
	if s.client == nil {
		var err error
		if s.client, err = s.store.newClient(s.worker, s.keys); err != nil {
			s.mu.Unlock()
			return invalidRequest(err)
		}
	}
	if len(c.Query) > 1 {
		slices.SortStableFunc(c.Query, compareParams)
	}
	s.req = exchange.Request{
		Method: c.Method, Key: c.Key, Query: c.Query, Headers: c.Headers, Common: s.store.common[c.Access], Payload: c.Payload,
		Offset: c.Offset, Length: c.Length, Expect: s.store.cfg.Expect && c.Method == http.MethodPut,
	}
	if c.Bucket > 0 {
		s.req.Bucket = s.store.paths[c.Bucket]
	}
	if c.Other != "" {
		s.req.Bucket = "/" + c.Other
	}
	if c.Method != http.MethodGet {
		s.req.Offset, s.req.Length = 0, 0
	}
	if c.Body != nil {
		s.req.Body, s.req.Size = c.Body, c.Size
	}
	if c.If != (Conditions{}) || c.Source != "" {
		s.addHeaders(c)
	}
	if s.describer != nil && (c.Access == MakesObjects || c.Access == ReadsWrites && c.Body != nil) {
		err := errSignedAhead
		if c.Auth == AuthHeader {
			err = s.describer.describe(c, &s.req)
		}
		if err != nil {
			s.mu.Unlock()
			return invalidRequest(err)
		}
	}
	return nil
}

var errSignedAhead = errors.New("forms and signed URLs have no --checksum, --md5, --payload or random metadata")

func compareParams(a, b Param) int { return cmp.Compare(a.Name, b.Name) }

// once sends the request and has its response taken.
func (s *session) once(ctx context.Context, c *Call, host int) error {
	if d := s.store.directory; d != nil && s.keys != nil && !ofKey(c) {
		k, err := d.sessionKeys(ctx, s.key)
		if err != nil {
			return toError(err)
		}
		s.req.Keys = k
	}
	if err := authorize(s, c, host); err != nil {
		return err
	}
	err := s.client.Do(ctx, host, &s.req)
	r := s.client.Result()
	if c.Start = r.Start; r.Begun {
		c.Requests += 1 + r.Resent
	}
	s.note(c)
	if err == nil && redirected(s, c) {
		err = follow(ctx, s, c, host)
	}
	switch {
	case errors.Is(err, exchange.ErrBody), errors.Is(err, exchange.ErrRequest):
		err = invalidRequest(err)
	case err != nil:
		err = headError(err)
	default:
		err = s.take(c)
		s.client.Finish()
		c.Arrived = s.client.Result().Arrived
	}
	if s.store.cfg.Debug != nil {
		s.log(c, host, err)
	}
	return err
}

// note adds an exchange to what is known of the request.
func (s *session) note(c *Call) {
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
	c.Begun = c.Begun || r.Begun
	c.Resent += r.Resent
	if r.Begun {
		s.sent.add(c, 1+r.Resent)
	}
}

// take takes a success, and makes an error of anything else.
func (s *session) take(c *Call) error {
	version := s.client.Header("x-amz-version-id")
	if c.VersionID = versionAsked(c); string(version) != c.VersionID {
		c.VersionID = string(version)
	}
	if c.WantETag {
		c.ETag = string(s.client.Header("etag"))
	}
	if c.Status/100 != 2 {
		if slices.Contains(c.Expected, c.Status) {
			return s.takeOutcome(c.Status)
		}
		return responseError(&http.Response{StatusCode: c.Status, Header: s.client.Headers(), Body: io.NopCloser(s.client)})
	}
	if s.client.Result().Early { // it cannot know what it says to have done
		return &Error{Class: ClassBadResponse, Status: c.Status, Message: "the server confirmed an upload that it had not received in full"}
	}
	if err := s.checkHead(c); err != nil {
		return err
	}
	for c.Got = c.Got[:0]; len(c.Got) < len(c.Want); {
		c.Got = append(c.Got, string(s.client.Header(c.Want[len(c.Got)])))
	}
	err := s.takeBody(c)
	if err == nil {
		if c.WantChecksum && s.describer != nil {
			c.Checksum = s.describer.checksum(c.Body != nil)
		}
		return nil
	}
	e := toError(err)
	e.Status = c.Status
	return e
}

// takeOutcome takes a response whose status is expected.
func (s *session) takeOutcome(status int) error {
	if _, err := s.client.Discard(); err != nil {
		e := toError(err)
		e.Status = 0 // it is no outcome
		return e
	}
	if s.outcomes[status] == nil {
		if s.outcomes == nil {
			s.outcomes = map[int]*Error{}
		}
		s.outcomes[status] = &Error{Class: statusClass(status, ""), Status: status}
	}
	return s.outcomes[status]
}

// addHeaders adds the conditions of a request, and the source of a copy.
func (s *session) addHeaders(c *Call) {
	s.headers = append(s.headers[:0], c.Headers...)
	if c.Source != "" {
		s.headers = append(append(s.headers, Header{Name: "X-Amz-Copy-Source", Value: c.Source}), s.store.sourceKey...)
	}
	if c.If.Match != "" {
		s.headers = append(s.headers, Header{Name: "If-Match", Value: c.If.Match})
	}
	if c.If.NoneMatch != "" {
		s.headers = append(s.headers, Header{Name: "If-None-Match", Value: c.If.NoneMatch})
	}
	s.req.Headers = s.headers
}

// takeBody takes the body of a successful response, and what its head says about that.
func (s *session) takeBody(c *Call) error {
	unconfirmed := s.checkEncryption(c)
	switch {
	case c.Parse != nil:
		if err := c.Parse(s.client); err != nil {
			return err
		}
		if _, err := s.client.Discard(); err != nil {
			return err
		}
	case c.Method == http.MethodGet:
		if c.Length > 0 {
			if err := checkRange(c, c.Status, string(s.client.Header("content-range"))); err != nil {
				return err
			}
		}
		if err := s.drain(c); err != nil {
			return err
		}
		if err := checkLength(c, c.Status); err != nil {
			return err
		}
	case c.Method != http.MethodHead:
		if err := s.confirm(c); err != nil {
			return err
		}
	}
	if unconfirmed == nil && c.Body != nil && c.Access.Contents() {
		c.Bytes = c.Size
	}
	return unconfirmed
}

// confirm reads the body of a response that should hold nothing more.
func (s *session) confirm(c *Call) error {
	p, err := s.client.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if e := checkConfirmed(io.MultiReader(bytes.NewReader(p), s.client), c.Status); e != nil {
		return e
	}
	return nil
}

// drain reads the body to its end.
func (s *session) drain(c *Call) error {
	if c.Into == nil {
		n, err := s.client.Discard()
		c.Bytes += n
		return err
	}
	for {
		p, err := s.client.Next()
		c.Bytes += int64(len(p))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := c.Into.Write(p); err != nil {
			return intoError(err, c.Status)
		}
	}
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
func (s *session) log(c *Call, host int, err error) {
	outcome := "ok"
	if err != nil {
		outcome = err.Error()
	}
	u := s.req.URL(s.store.endpoints[host].bucket)
	if s.req.Unsigned {
		u.RawQuery = ""
	}
	s.store.cfg.Debug("%s %s%s %d %v %s", s.req.Method, u.Host, u.RequestURI(), c.Status, clock.Now().Sub(c.Start), outcome)
}

func invalidRequest(err error) *Error {
	return &Error{Class: ClassBadRequest, Message: oneLine(err.Error()), Err: err}
}

// retry decides whether a request that failed is to be sent again, try counting from 0. If so it has waited a while, and
// counted it.
func retry(ctx context.Context, cfg *Config, c *Call, err error, try int) bool {
	if try >= cfg.Retries || c.Bytes > 0 || !worthRetrying(err) || !clock.Pause(ctx, retryWait(cfg.backoff(), try)) {
		return false
	}
	c.Retries++
	return true
}

// worthRetrying reports whether the same request may fare better a moment later.
func worthRetrying(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case 0:
		return e.Class != ClassCanceled && e.Class != ClassBadRequest
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status/100 == 5 && e.Status != http.StatusNotImplemented
}

// maxBackoffs is the longest pause before a retry, in pauses before the first.
const maxBackoffs = 20

// retryWait is how long to wait before a request is sent again.
func retryWait(backoff time.Duration, try int) time.Duration {
	return time.Duration(min(maxBackoffs, 1<<min(try, 5))) * backoff
}
