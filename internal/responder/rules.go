package responder

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
)

// Rule says how request n of a kind, counted from 0, fails or is slowed down. It is called by many goroutines at once.
type Rule func(kind op.Kind, n uint64) Fault

// Fault is what a Rule injects into a request. The zero value does nothing.
type Fault struct {
	Delay     time.Duration // from the last byte of the request to the first of the response
	Stall     time.Duration // in the middle of the body of a GET, PUT or part; of other kinds: added to Delay
	Bandwidth int64         // bytes per second of the body of a GET, PUT or part; 0: as fast as it goes
	Status    int           // respond with this status, an error; 0: do what was asked for
	Code      string        // S3 code of that error; empty: one that suits the status, AccessDenied with Refuse
	Redirect  string        // with Status: the scheme and host that the response redirects to, with path and query as they are
	Close     bool          // close the connection after Delay instead of responding
	Refuse    int           // of a multi-delete: do not delete this number of its objects, the first ones, and say so with Code
	Misstate  bool          // of a document about an object: state what the object was when it was uploaded
	Execute   bool          // with Status or Close: upload or delete what was asked for, or complete the upload, all the same, and then fail
}

// Injection is what a rule really did to a request, and when the server had it.
type Injection struct {
	Kind   op.Kind
	N      uint64
	Key    string
	Fault  Fault
	Delay  time.Duration // from the last byte of the request to just before the first of the response
	Stall  time.Duration // in the middle of the body
	Body   time.Duration // of a GET: from the first byte of the response to Last; of a PUT: from its head to its last byte
	Status int           // of the response; 0: the connection was closed

	Came  time.Time // when its head had been read
	First time.Time // just before the first byte of the response was written
	Last  time.Time // just before the last part of the response was written
}

// account counts requests of one kind.
type account struct {
	requests atomic.Uint64
	received atomic.Int64 // bytes of contents
	sent     atomic.Int64
	byStatus [maxStatus]atomic.Uint64
}

const maxStatus = 600

// accounts are the accounts of all kinds.
type accounts struct {
	mu sync.RWMutex
	by map[op.Kind]*account
}

// of returns the account of a kind.
func (a *accounts) of(k op.Kind) *account {
	a.mu.RLock()
	found := a.by[k]
	a.mu.RUnlock()
	if found != nil {
		return found
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[op.Kind]*account{}
	}
	if a.by[k] == nil {
		a.by[k] = &account{}
	}
	return a.by[k]
}

// Versions is what a server does about versions of objects.
type Versions int

// Kinds of servers.
const (
	VersionsNone      Versions = iota // a bucket keeps none until it is told to
	VersionsSuspended                 // it kept some once, and keeps one called "null": a deletion by name leaves a delete marker
	VersionsMadeUp                    // it responds to uploads with a version id, but keeps no versions and knows no request about them
)

// put adds to the response to an upload.
func (k Versions) put(h http.Header) {
	if k == VersionsMadeUp {
		h.Set("X-Amz-Version-Id", strconv.FormatInt(clock.Now().UnixNano(), 36))
	}
}

// Conditions is what a server does about the headers If-Match and If-None-Match.
type Conditions int

// Kinds of servers.
const (
	ConditionsHonoured    Conditions = iota // it does what S3 says
	ConditionsIgnored                       // it ignores them
	ConditionsCheckedOnce                   // it checks them when a request arrives, not again when the object is written: several may pass
	ConditionsOfCreation                    // it honours If-None-Match of writes alone
	ConditionsTooLate                       // it responds as S3 says, but writes in any case
)
