package preflight

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// Requests that are not measured (looking at the bucket, the preflight, clean-up) have a limit for all of them, from
// connecting to the last byte of the response: a server that sends a byte a second holds up no run.

// Slow is called while a request that is not measured takes long: host and action in words, and how long it has taken.
type Slow func(host, action string, taken time.Duration)

type slowKey struct{}

// slowAfter and slowAgain are when a request that is not measured is first reported as slow, and how often from then on.
// Of many hosts that are slow at once, one in slowPause is reported.
var (
	slowAfter = 4 * time.Second
	slowAgain = 30 * time.Second
	slowPause = time.Second
)

// WithSlow makes a context whose requests call slow, one call at a time, if they take long and are not measured. After
// stop it is not called any more.
func WithSlow(ctx context.Context, slow Slow) (with context.Context, stop func()) {
	hook := &slowHook{call: slow, after: slowAfter}
	return context.WithValue(ctx, slowKey{}, hook), func() {
		hook.mu.Lock()
		defer hook.mu.Unlock()
		hook.call = nil
	}
}

type slowHook struct {
	after time.Duration // until the first call about a request

	mu   sync.Mutex
	call Slow
	last time.Time
}

// watch calls the hook while a request is in flight, until ctx ends.
func (s *slowHook) watch(ctx context.Context, host, action string) {
	wait := s.after
	for taken := wait; clock.Pause(ctx, wait); taken += wait {
		wait = slowAgain
		s.mu.Lock()
		if now := clock.Now(); s.call != nil && now.Sub(s.last) >= slowPause {
			s.call(host, action, taken)
			s.last = now
		}
		s.mu.Unlock()
	}
}

// session is a session for requests that are not measured: each has a limit for all of it, and its error is a *Diagnosis.
type session struct {
	s3.Session
	cfg   *s3.Config
	host  string // where requests go, in words
	probe bool   // find out whether a host that hangs up wants TLS

	lag     *atomic.Int64 // see Bucket.Lag; nil: likewise
	written *atomic.Bool  // see Bucket.Written; nil: nobody wants to know
}

// noteLag notes how long an object took to become readable.
func (s *session) noteLag(by time.Duration) {
	if s.lag == nil {
		return
	}
	for {
		before := s.lag.Load()
		if int64(by) <= before || s.lag.CompareAndSwap(before, int64(by)) {
			return
		}
	}
}

// wrote notes that an object of the preflight may be in the bucket.
func (s *session) wrote() {
	if s.written != nil {
		s.written.Store(true)
	}
}

// WithDiagnosis returns a session for requests that are not measured: each has a limit for all of it, and its
// error is a *Diagnosis, which says which host failed at what.
func WithDiagnosis(s s3.Session, cfg s3.Config) s3.Session {
	return &session{Session: s, cfg: &cfg, host: HostsOf(&cfg)}
}

// HostsOf says where requests go, in words.
func HostsOf(cfg *s3.Config) string {
	if len(cfg.Hosts) == 1 {
		return cfg.HostURL(cfg.Hosts[0])
	}
	return fmt.Sprintf("one of %d hosts", len(cfg.Hosts)) // which one is chosen on the way
}

// Do performs a request.
func (s *session) Do(ctx context.Context, c *s3.Call) error {
	return s.perform(ctx, actOf(c), c, func(ctx context.Context) error { return s.Session.Do(ctx, c) })
}

// perform performs a request by send.
func (s *session) perform(ctx context.Context, a act, c *s3.Call, send func(context.Context) error) error {
	err := s.limited(ctx, a, send)
	if !s.probe || err == nil {
		return diagnose(s.cfg, c.Host, a, err)
	}
	err = diagnose(s.cfg, c.Host, a, probeTLS(ctx, s.cfg, c.Host, err))
	if d := (*Diagnosis)(nil); errors.As(err, &d) && s.losesSignature(ctx, c, d.Err) {
		d.say("the signature does not arrive: in the URL it is accepted, in the header Authorization it is not",
			"have the proxy in front of the host pass on that header")
	}
	return err
}

// limited performs a request within its limit. It is reported if it is slow.
func (s *session) limited(ctx context.Context, a act, send func(context.Context) error) error {
	limit := s.cfg.RequestLimit()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if hook, ok := ctx.Value(slowKey{}).(*slowHook); ok {
		go hook.watch(limited, s.host, a.words)
	}
	err := send(limited)
	e := s3.AsError(err)
	if limited.Err() == nil || ctx.Err() != nil || e.Class != s3.ClassTimeout {
		return err
	}
	message := fmt.Sprintf("the response was not complete within %v", limit)
	return &s3.Error{Class: s3.ClassTimeout, Status: e.Status, Message: message, Err: err}
}

// Explain explains why a request failed that a session without a diagnosis has sent.
func Explain(cfg *s3.Config, c *s3.Call, err error) error {
	return diagnose(cfg, c.Host, actOf(c), err)
}

// Explain explains why one of the objects of a multi-delete was not deleted.
func (s *session) Explain(c *s3.Call, err error) error {
	return diagnose(s.cfg, c.Host, actDelete, err)
}
