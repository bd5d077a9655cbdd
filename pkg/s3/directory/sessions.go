// Package directory is what requests to a directory bucket need in addition to others: sessions, whose keys sign them. It knows what these
// buckets lack.
package directory

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/ops"
)

const (
	// minPause is the shortest time between two requests for a session.
	minPause = 100 * time.Millisecond
	// defaultLife is how long a session lasts if its response does not say so.
	defaultLife = 5 * time.Minute
	// clockTolerance is how far the clock of a server may be from ours until it decides how long a session lasts.
	clockTolerance = 2 * time.Second
)

// Sessions are the sessions of a store with a directory bucket: one for each of its keys, which is created when it is first needed and
// then replaced in good time, off the clock of any operation, until the store is closed.
type Sessions struct {
	store  s3.Store
	ctx    context.Context
	cancel context.CancelFunc
	of     []session // by key

	mu    sync.Mutex
	wg    sync.WaitGroup
	count s3.DirectorySessions
}

// session is the session of one key.
type session struct {
	keys atomic.Pointer[exchange.Keys] // nil until a session has been created
	mu   sync.Mutex                    // held while the first one is created
}

// NewSessions makes the sessions of a store. They send nothing yet.
func NewSessions(s s3.Store) *Sessions {
	d := &Sessions{store: s, of: make([]session, s.Keys())}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Close ends the replacement of sessions.
func (d *Sessions) Close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
}

// Keys returns what signs a request that the key of this number performs: the keys of its session; nil if that is the key itself.
func (d *Sessions) Keys(ctx context.Context, c *s3.Call, key int) (*exchange.Keys, error) {
	if signedWithLongTermKey(c) {
		return nil, nil
	}
	one := &d.of[key]
	if k := one.keys.Load(); k != nil {
		return k, nil
	}
	var err error
	loop.Block(ctx, func(ctx context.Context) { err = d.createFirst(ctx, one, key) })
	return one.keys.Load(), err
}

// createFirst creates the first session of a key.
func (d *Sessions) createFirst(ctx context.Context, one *session, key int) error {
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.keys.Load() != nil { // meanwhile
		return nil
	}
	ends, err := d.create(ctx, key)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() == nil {
		d.wg.Go(func() { d.replace(key, ends) })
	}
	return nil
}

// replace replaces the session of a key, again and again; the present one ends at a time.
func (d *Sessions) replace(key int, ends time.Time) {
	for clock.Pause(d.ctx, exchange.RenewalPause(ends.Sub(clock.Now()), minPause)) {
		next, err := d.create(d.ctx, key)
		if err == nil {
			ends = next
		} else if debug := d.store.Config().Debug; debug != nil && d.ctx.Err() == nil {
			debug("session with the bucket: not replaced: %s", s3.OneLine(err.Error()))
		}
	}
}

// create creates a session through the first host that has one, and returns when it ends.
func (d *Sessions) create(ctx context.Context, key int) (ends time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, exchange.RenewTimeout)
	defer cancel()
	for host := range d.store.Hosts() {
		start := clock.Now()
		k, life, failure := d.createOn(ctx, host, key)
		d.note(clock.Now().Sub(start), failure)
		if failure == nil {
			d.of[key].keys.Store(k)
			return start.Add(life), nil
		}
		err = cmp.Or(err, failure)
		if ctx.Err() != nil {
			break
		}
	}
	return time.Time{}, err
}

func (d *Sessions) note(spent time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.count.Failed++
		return
	}
	d.count.Add(s3.DirectorySessions{Created: 1, Spent: spent, Longest: spent})
}

// Count counts the sessions so far.
func (d *Sessions) Count() s3.DirectorySessions {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// ErrSession is the cause of errors of requests to a directory bucket for which no session could be created. They are not sent.
var ErrSession = errors.New("no session with the directory bucket")

// createOn creates a session through a host, and returns its keys and how long they last.
func (d *Sessions) createOn(ctx context.Context, host, key int) (*exchange.Keys, time.Duration, error) {
	s, done := d.store.HostSession(host, key)
	defer done()
	var c s3.Call
	made, err := ops.CreateSession(ctx, s, &c)
	if err != nil {
		e := *s3.AsError(err)
		e.Message, e.Err = "CreateSession: "+e.Message, errors.Join(ErrSession, e.Err)
		return nil, 0, &e
	}
	keys := &exchange.Keys{Access: made.Access, Secret: made.Secret, Token: made.Token, Express: true, Session: true}
	return keys, lifeOf(made.Expiration, made.Date), nil
}

// lifeOf is how long a session lasts that ends at a time of the server, whose response has a date.
func lifeOf(expiration, date string) time.Duration {
	ends, err := time.Parse(time.RFC3339, expiration)
	if err != nil {
		return defaultLife
	}
	now := clock.Wall()
	if theirs, err := http.ParseTime(date); err == nil && theirs.Sub(now).Abs() > clockTolerance {
		now = theirs.Add(time.Second) // dates are whole seconds
	}
	return ends.Sub(now)
}
