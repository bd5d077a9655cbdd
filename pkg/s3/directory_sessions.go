package s3

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

const (
	// sessionPause is the shortest time between two requests for a session.
	sessionPause = 100 * time.Millisecond
	// sessionLife is how long a session lasts if its response does not say so.
	sessionLife = 5 * time.Minute
	// clockTolerance is how far the clock of a server may be from ours until it decides how long a session lasts.
	clockTolerance = 2 * time.Second
)

// DirectorySessions counts the sessions that were created with a directory bucket, beside the operations.
type DirectorySessions struct {
	Created uint64        `json:"created"`
	Failed  uint64        `json:"failed,omitempty"`
	Spent   time.Duration `json:"spent_ns"`   // on all of them together
	Longest time.Duration `json:"longest_ns"` // on one of them
}

// Add adds the sessions of another client.
func (d *DirectorySessions) Add(o DirectorySessions) {
	d.Created += o.Created
	d.Failed += o.Failed
	d.Spent += o.Spent
	d.Longest = max(d.Longest, o.Longest)
}

// directory is what a store of a directory bucket has: for each of its keys a session, which is created when it is first needed and
// then replaced in good time, off the clock of any operation, until the store is closed.
type directory struct {
	store  *store
	ctx    context.Context
	cancel context.CancelFunc
	of     []directorySession // by key

	mu    sync.Mutex
	wg    sync.WaitGroup
	count DirectorySessions
}

// directorySession is the session of one key.
type directorySession struct {
	keys atomic.Pointer[exchange.Keys] // nil until a session has been created
	mu   sync.Mutex                    // held while the first one is created
}

func newDirectory(s *store) *directory {
	d := &directory{store: s, of: make([]directorySession, len(s.keys))}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// close ends the replacement of sessions.
func (d *directory) close() {
	d.mu.Lock()
	d.cancel()
	d.mu.Unlock()
	d.wg.Wait()
}

// sessionKeys returns the keys of the session of a key.
func (d *directory) sessionKeys(ctx context.Context, key int) (*exchange.Keys, error) {
	one := &d.of[key]
	if k := one.keys.Load(); k != nil {
		return k, nil
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if k := one.keys.Load(); k != nil { // meanwhile
		return k, nil
	}
	ends, err := d.create(ctx, key)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() == nil {
		d.wg.Go(func() { d.replace(key, ends) })
	}
	return one.keys.Load(), nil
}

// replace replaces the session of a key, the first of which ends at a time.
func (d *directory) replace(key int, ends time.Time) {
	for clock.Pause(d.ctx, untilNext(ends)) {
		next, err := d.create(d.ctx, key)
		if err == nil {
			ends = next
		} else if d.store.cfg.Debug != nil && d.ctx.Err() == nil {
			d.store.cfg.Debug("session with the bucket: not replaced: %s", oneLine(err.Error()))
		}
	}
}

// untilNext is when to replace a session that ends at a time.
func untilNext(ends time.Time) time.Duration {
	return max(sessionPause, time.Duration(renewAt*float64(ends.Sub(clock.Now()))))
}

// create creates a session through the first host that has one, and returns when it ends.
func (d *directory) create(ctx context.Context, key int) (ends time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	for host := range d.store.endpoints {
		start := clock.Now()
		k, life, failure := createSession(ctx, d.store, host, key)
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

func (d *directory) note(spent time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.count.Failed++
		return
	}
	d.count.Add(DirectorySessions{Created: 1, Spent: spent, Longest: spent})
}

func (d *directory) counted() DirectorySessions {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// ErrSession is the cause of errors of requests to a directory bucket for which no session could be created. They are not sent.
var ErrSession = errors.New("no session with the directory bucket")

var errNoSession = errors.New("no keys of a session; the server has no directory buckets")

// createSession sends a request for a session (CreateSession) to a host, signed with a key.
func createSession(ctx context.Context, st *store, host, key int) (*exchange.Keys, time.Duration, error) {
	s, done := st.HostSession(host, key)
	defer done()
	k, expiration := &exchange.Keys{Express: true, Session: true}, ""
	var c Call
	c.about("", http.MethodGet, NoAccess)
	c.Query = append(c.Query, Param{Name: "session"})
	c.Want = append(c.Want, "date")
	c.Parse = func(r io.Reader) error {
		root, err := xmlWalk(r, func(e element) {
			if e.parent != "Credentials" {
				return
			}
			switch e.name {
			case "AccessKeyId":
				k.Access = string(e.text)
			case "SecretAccessKey":
				k.Secret = string(e.text)
			case "SessionToken":
				k.Token = string(e.text)
			case "Expiration":
				expiration = string(e.text)
			}
		})
		if err != nil {
			return badResponse(root, err)
		}
		if k.Access == "" || k.Secret == "" || k.Token == "" {
			return badResponse(root, errNoSession)
		}
		return nil
	}
	if err := s.Do(ctx, &c); err != nil {
		e := *AsError(err)
		e.Message, e.Err = "CreateSession: "+e.Message, errors.Join(ErrSession, e.Err)
		return nil, 0, &e
	}
	return k, lifeOf(expiration, c.Got[0]), nil
}

// lifeOf is how long a session lasts that ends at a time of the server, whose response has a date.
func lifeOf(expiration, date string) time.Duration {
	ends, err := time.Parse(time.RFC3339, expiration)
	if err != nil {
		return sessionLife
	}
	now := clock.Wall()
	if theirs, err := http.ParseTime(date); err == nil && theirs.Sub(now).Abs() > clockTolerance {
		now = theirs.Add(time.Second) // dates are whole seconds
	}
	return ends.Sub(now)
}
