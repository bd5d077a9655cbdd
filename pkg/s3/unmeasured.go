package s3

import (
	"context"
	"fmt"
	"sync"
	"time"

	"warp/internal/clock"
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
	hook := &slowHook{call: slow}
	return context.WithValue(ctx, slowKey{}, hook), hook.end
}

// end lets go of the function: the runtime keeps timers that were stopped for a while, and so all that they refer to.
func (s *slowHook) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call = nil
}

type slowHook struct {
	mu   sync.Mutex
	call Slow
	last time.Time
}

// watch calls the hook while a request is under way, until the function that it returns is called.
func (s *slowHook) watch(host, action string) (stop func()) {
	var (
		timer *time.Timer
		over  bool
		taken = slowAfter
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	timer = time.AfterFunc(slowAfter, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if over || s.call == nil {
			return
		}
		if now := clock.Now(); now.Sub(s.last) >= slowPause {
			s.call(host, action, taken)
			s.last = now
		}
		taken += slowAgain
		timer.Reset(slowAgain)
	})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		over = true
		timer.Stop()
	}
}

// unmeasured performs a request that is not measured: within its limit, and reported if it is slow. host is where it
// goes. The error is that of send, or says that the limit is over.
func unmeasured(ctx context.Context, cfg *Config, host string, a act, send func(context.Context) error) error {
	if hook, ok := ctx.Value(slowKey{}).(*slowHook); ok {
		defer hook.watch(host, a.words)()
	}
	limit := cfg.requestLimit()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := send(limited)
	e := asError(err)
	if limited.Err() == nil || ctx.Err() != nil || e.Class != classTimeout {
		return err
	}
	return &Error{Class: classTimeout, Status: e.Status, Message: fmt.Sprintf("the response was not complete within %v", limit), Err: err}
}

// unmeasuredSession is a session for requests that are not measured.
type unmeasuredSession struct {
	session Session
	cfg     *Config
	probe   bool // find out whether a host that hangs up wants TLS
}

// Unmeasured gives a way to use a session for requests that are not measured: each has a limit for all of it, and its
// error is a *Diagnosis, which says which host failed at what.
func Unmeasured(session Session, cfg Config) Session {
	return &unmeasuredSession{session: session, cfg: &cfg}
}

// Do performs a request that is not measured.
func (u *unmeasuredSession) Do(ctx context.Context, c *Call) error {
	a := actOf(c)
	host := fmt.Sprintf("one of %d hosts", len(u.cfg.Hosts)) // which one is chosen on the way
	if len(u.cfg.Hosts) == 1 {
		host = u.cfg.hostURL(u.cfg.Hosts[0])
	}
	err := unmeasured(ctx, u.cfg, host, a, func(ctx context.Context) error { return u.session.Do(ctx, c) })
	if u.probe {
		err = probeTLS(ctx, u.cfg, c.Host, err)
	}
	return diagnose(u.cfg, c.Host, a, err)
}
