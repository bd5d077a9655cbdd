package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/s3/lean"
)

// leanSession is one worker's way to the store: the connection it used last, and what an operation needs, for reuse.
type leanSession struct {
	store  *leanStore
	worker int

	closed atomic.Bool  // the store was closed
	mu     sync.Mutex   // held through an operation, so that Close waits for nobody and closes nothing under anybody
	client *lean.Client // nil: none was needed yet
	ask    lean.Request
	query  []byte
	paging paging
}

// taker takes what a successful answer holds.
type taker func(s *leanSession, c *Call) error

// perform chooses a host and sends s.ask, more than once only if Config.Retries says so.
func (s *leanSession) perform(ctx context.Context, c *Call, take taker) (err error) {
	host := s.store.pool.take()
	defer func() { s.store.pool.done(host, !Unanswered(err)) }()
	c.Host = s.store.hosts[host].url
	for try := 0; ; try++ {
		err = s.once(ctx, c, host, take)
		if err == nil || !retry(ctx, &s.store.cfg, c, err, try) {
			return err
		}
	}
}

// once sends s.ask and has its answer taken.
func (s *leanSession) once(ctx context.Context, c *Call, host int, take taker) error {
	if err := s.connect(); err != nil {
		return err
	}
	err := s.client.Do(ctx, host, &s.ask)
	a := &s.client.Answer
	c.Status, c.Sent, c.FirstByte = a.Status, a.Sent, a.FirstByte
	c.Connected, c.Connect = a.Connected, a.Connect
	c.Begun = c.Begun || a.Begun
	switch {
	case errors.Is(err, lean.ErrBody):
		err = invalidRequest(err)
	case err != nil:
		err = toError(err)
	default:
		c.VersionID = ""
		if v := s.client.Header("x-amz-version-id"); len(v) > 0 {
			c.VersionID = string(v)
		}
		err = s.taken(c, take)
		s.client.Finish()
	}
	if s.store.cfg.Debug != nil {
		s.log(host, a, err)
	}
	return err
}

// taken has a success taken, and makes an error of anything else.
func (s *leanSession) taken(c *Call, take taker) error {
	if c.Status/100 != 2 {
		return answerError(&http.Response{StatusCode: c.Status, Header: s.client.Headers(), Body: io.NopCloser(s.client)})
	}
	if s.client.Early { // it cannot know what it says to have done
		return &Error{Class: classBadAnswer, Status: c.Status, Message: "the server confirmed an upload that it had not received in full"}
	}
	err := take(s, c)
	if err == nil {
		return nil
	}
	e := toError(err)
	e.Status = c.Status
	return e
}

// connect makes the client when it is needed first.
func (s *leanSession) connect() error {
	if s.client != nil {
		return nil
	}
	var err error
	cfg := &s.store.cfg
	s.client, err = lean.NewClient(lean.Options{
		Targets: s.store.targets, Pool: s.store.conns, Keys: s.store.keys, Number: s.worker, Close: cfg.NoKeepAlive,
		FirstByte: cfg.firstByteLimit(), Idle: cfg.idleLimit(),
	})
	return err
}

// done ends an operation.
func (s *leanSession) done() {
	s.mu.Unlock()
	if s.closed.Load() {
		s.close()
	}
}

// close closes the connections, unless an operation is under way; then that does it at its end.
func (s *leanSession) close() {
	s.closed.Store(true)
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if s.client != nil {
		s.client.Close()
	}
}

// log writes the line of one request. Its query holds no secrets: requests are signed in their headers.
func (s *leanSession) log(host int, a *lean.Answer, err error) {
	outcome := "ok"
	if err != nil {
		outcome = err.Error()
	}
	t := s.store.targets[host]
	path := lean.AppendPath([]byte(t.Path+"/"), s.ask.Key)
	if len(s.ask.Query) > 0 {
		path = append(append(path, '?'), s.ask.Query...)
	}
	s.store.cfg.Debug("%s %s%s %d %v %s", s.ask.Form.Method(), t.Host, path, a.Status, clock.Now().Sub(a.Start), outcome)
}

func invalidRequest(err error) *Error {
	return &Error{Class: classBadRequest, Message: oneLine(err.Error()), Err: err}
}

// prepare begins an operation on an object.
func (s *leanSession) prepare(f *lean.Form, c *Call) {
	s.mu.Lock()
	s.ask = lean.Request{Form: f, Key: c.Key}
	if c.Version != "" {
		s.query = lean.AppendQuery(append(s.query[:0], "versionId="...), c.Version)
		s.ask.Query = s.query
	}
}

// Put uploads c.Body as one request, without hashing it.
func (s *leanSession) Put(ctx context.Context, c *Call) error {
	if c.Size < 0 {
		return &Error{Class: classBadRequest, Message: "the size of a body must be known"}
	}
	f := s.store.forms.put
	if c.Upload != "" {
		f = s.store.forms.part
	}
	s.prepare(f, c)
	defer s.done()
	s.ask.Body = c.Body
	if s.ask.Size = c.Size; c.Upload != "" {
		s.query = strconv.AppendInt(append(s.query[:0], "partNumber="...), int64(c.Part), 10)
		s.query = lean.AppendQuery(append(s.query, "&uploadId="...), c.Upload)
		s.ask.Query = s.query
	}
	return s.perform(ctx, c, (*leanSession).tookPut)
}

func (s *leanSession) tookPut(c *Call) error {
	if c.Upload != "" {
		c.ETag = strings.Trim(string(s.client.Header("etag")), `"`)
	}
	if err := s.confirmed(c); err != nil {
		return err
	}
	if err := s.tookConfirmation(c); err != nil {
		return err
	}
	c.Bytes = c.Size
	return nil
}

// tookConfirmation takes what is left of a response that should hold nothing more.
func (s *leanSession) tookConfirmation(c *Call) error {
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

// Get downloads an object, or a range of it, as one request.
func (s *leanSession) Get(ctx context.Context, c *Call) error {
	f := s.store.forms.get
	if c.Length > 0 {
		if c.Offset < 0 {
			return invalidRequest(fmt.Errorf("a range cannot begin at %d", c.Offset))
		}
		f = s.store.forms.ranged
	}
	s.prepare(f, c)
	defer s.done()
	s.ask.Offset, s.ask.Length = c.Offset, c.Length
	return s.perform(ctx, c, (*leanSession).tookGet)
}

func (s *leanSession) tookGet(c *Call) error {
	if c.Length > 0 {
		if err := checkRange(c, c.Status, string(s.client.Header("content-range"))); err != nil {
			return err
		}
	}
	ignored := s.confirmed(c)
	if err := s.drain(c); err != nil {
		return err
	}
	if err := checkLength(c, c.Status); err != nil {
		return err
	}
	return ignored
}

// drain reads the body to its end.
func (s *leanSession) drain(c *Call) error {
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

// Stat reads the head of an object.
func (s *leanSession) Stat(ctx context.Context, c *Call) error {
	s.prepare(s.store.forms.stat, c)
	defer s.done()
	return s.perform(ctx, c, (*leanSession).confirmed)
}

// Delete deletes one object or version.
func (s *leanSession) Delete(ctx context.Context, c *Call) error {
	s.prepare(s.store.forms.del, c)
	defer s.done()
	return s.perform(ctx, c, (*leanSession).tookConfirmation)
}

// confirmed makes sure that the server used the key of SSE-C, if there is one.
func (s *leanSession) confirmed(c *Call) error {
	if s.store.sse == nil {
		return nil
	}
	return checkEncrypted(&s.store.cfg, c.Status, string(s.client.Header(strings.ToLower(encrypted))))
}
