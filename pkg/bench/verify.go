package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Verification compares the objects that a run left in its bucket with what it uploaded, byte by byte. What the run uploaded
// follows from its recording (see Add), the contents from its plan.
type Verification struct {
	Plan     *Compiled // or decoded only
	Store    s3.Store
	Threads  int
	From     uint64        // skip so many objects, in the order of verification
	Sample   float64       // share of the objects to read, above 0 and up to 1
	Found    func(Problem) // is called for each object that is not as it was uploaded, never twice at once
	Observer Observer      // may be nil

	sets   []*uploaded
	last   map[string]*uploaded // where the latest object of a client was found
	cursor cursor
	mu     sync.Mutex // guards result and Found
	result Verified
}

// Problem is an object that is not as it was uploaded.
type Problem struct {
	Kind   string `json:"problem"` // ProblemMissing, ...
	Key    string `json:"key"`
	Detail string `json:"detail,omitempty"`
}

// Kinds of problems.
const (
	ProblemMissing    = "missing"
	ProblemWrong      = "wrong"
	ProblemUnreadable = "unreadable"
)

// Verified counts what a Verification found.
type Verified struct {
	Total      uint64 `json:"total"`   // objects that may be in the bucket
	Objects    uint64 `json:"objects"` // that were compared, those with problems too
	Bytes      int64  `json:"bytes"`
	Missing    uint64 `json:"missing"`
	Wrong      uint64 `json:"wrong"`
	Unreadable uint64 `json:"unreadable"`
	Next       uint64 `json:"next"` // From, to go on after an interruption
	Complete   bool   `json:"complete"`

	Rewritten uint64 `json:"rewritten,omitempty"` // of Objects: those that the run gave other contents, which do not follow from its plan; they were looked at, not compared
}

// Problems returns the number of objects that are not as they were uploaded.
func (v *Verified) Problems() uint64 { return v.Missing + v.Wrong + v.Unreadable }

// uploaded is what the recording states about a data set of a client. Records of a recording are not quite in order of time, so
// it holds what happened to an object, not in which order; a run uploads no object again that it has deleted.
type uploaded struct {
	*Layout
	made    bitmap
	deleted bitmap
	tried   bitmap // the upload failed, though it may have been carried out
	doubted bitmap // the same of the deletion
	batches bool   // objects were deleted whose keys are not recorded

	rewrites  bool   // uploads may give an object other contents
	rewritten bitmap // more than one did, or may have done so
}

// upload notes an upload of object i, which succeeded unless it is only known to have been tried.
func (u *uploaded) upload(i uint64, succeeded bool) {
	if u.rewrites && (u.made.has(i) || u.tried.has(i)) {
		u.rewritten.set(i)
	}
	if succeeded {
		u.made.set(i)
	} else {
		u.tried.set(i)
	}
}

// state reports whether object i may be in the bucket, and whether it must be.
func (u *uploaded) state(i uint64) (may, must bool) {
	made, doubted := u.made.has(i), u.doubted.has(i)
	if u.deleted.has(i) {
		return false, false
	}
	return made || doubted || u.tried.has(i), made && !doubted && !u.batches
}

// NewVerification returns a Verification of a run that had so many clients (0: one), or only of what one of them uploaded.
func NewVerification(plan *Compiled, clients uint64, client *uint64) (*Verification, error) {
	if plan.Target.Encrypt {
		return nil, errors.New("the run encrypted its objects (--encrypt) with a random key, which is recorded nowhere, so they cannot be read")
	}
	if slices.ContainsFunc(plan.sets, func(s *setPlan) bool { return s.names > 0 }) {
		return nil, errors.New("the run uploaded versions of objects, whose ids are not recorded, so it is not known which version must hold what")
	}
	v := &Verification{Plan: plan, Threads: 1, Sample: 1, last: make(map[string]*uploaded)}
	var err error
	plan.eachSet(clients, client, func(set *setPlan, share uint64) {
		if err != nil || !set.makes {
			return
		}
		u := &uploaded{rewrites: set.rewrite}
		if u.Layout, err = newLayout(set.spec, plan.keys(set, share), plan.seedOf(set, share), set.seed); err == nil {
			v.sets = append(v.sets, u)
		}
	})
	return v, err
}

// Add takes account of an operation of the run. It reports whether it was about an object that the run uploaded.
func (v *Verification) Add(o *op.Op) bool {
	kind := o.Kind.Unlabelled()
	if kind == op.Delete && o.Key == "" {
		for _, u := range v.sets {
			u.batches = true
		}
		return false
	}
	upload := kind == op.Put || kind == op.Post || kind == op.MultipartPut
	if !upload && kind != op.Delete && kind != op.Append {
		return false
	}
	u, i, ok := v.find(o)
	if !ok {
		return false
	}
	if kind == op.Append {
		u.made.set(i)
		u.rewritten.set(i)
		return true
	}
	refused := o.Status/100 == 4
	switch {
	case upload && !o.Failed():
		for k := range uint64(o.Objects) { // of an archive, which has the key of the first one
			u.upload(i+k, true)
		}
	case upload && !refused:
		for k := range uint64(o.Objects) {
			u.upload(i+k, false)
		}
	case !upload && (!o.Failed() || o.Status == http.StatusNotFound):
		u.deleted.set(i)
	case !upload && !refused:
		u.doubted.set(i)
	}
	return true
}

// find returns the object that an operation is about.
func (v *Verification) find(o *op.Op) (*uploaded, uint64, bool) {
	if u := v.last[o.Client]; u != nil {
		if i, ok := u.Keys.Index(o.Key); ok {
			return u, i, true
		}
	}
	for _, u := range v.sets {
		if i, ok := u.Keys.Index(o.Key); ok {
			v.last[o.Client] = u
			return u, i, true
		}
	}
	return nil, 0, false
}

// Run compares. Its error is why it could not go on; problems of objects are none.
func (v *Verification) Run(ctx context.Context) (*Verified, error) {
	if v.Observer == nil {
		v.Observer = silent{}
	}
	var total uint64
	for _, ok := v.next(); ok; _, ok = v.next() {
		total++
	}
	v.cursor = cursor{}
	var done atomic.Uint64
	v.Observer.Stage(Stage{Name: StageVerify, Workload: v.Plan.Title(), Start: clock.Now(), Total: total - min(v.From, total), Done: done.Load})
	readers := make([]reader, v.Threads)
	cut := uint64(math.MaxUint64)
	_, err := load.Run(ctx, load.Options{Concurrency: v.Threads, Abort: ctx.Done()}, func(ctx context.Context, t load.Turn) error {
		c, ok := v.next()
		switch {
		case !ok:
			return load.ErrDone
		case c.n < v.From:
			return nil
		case v.sampled(&c) && !v.compare(ctx, &readers[t.Worker], t.Worker, &c):
			v.mu.Lock()
			defer v.mu.Unlock()
			cut = min(cut, c.n)
			return nil
		}
		done.Add(1)
		return nil
	})
	v.result.Total, v.result.Next = total, min(cut, v.cursor.n)
	v.result.Complete = v.result.Next == total
	return &v.result, err
}

// cursor is a place in the order of verification.
type cursor struct {
	set  int
	i    uint64 // in the data set
	n    uint64 // in the order
	must bool   // the object must be in the bucket
}

// next returns the next object in the order; false at the end.
func (v *Verification) next() (cursor, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := &v.cursor
	for ; c.set < len(v.sets); c.set, c.i = c.set+1, 0 {
		u := v.sets[c.set]
		for end := max(u.made.end(), u.tried.end(), u.doubted.end()); c.i < end; {
			may, must := u.state(c.i)
			c.i++
			if may {
				found := cursor{c.set, c.i - 1, c.n, must}
				c.n++
				return found, true
			}
		}
	}
	return cursor{}, false
}

// sampled reports whether an object belongs to the sample.
func (v *Verification) sampled(c *cursor) bool {
	return v.Sample >= 1 || float64(generator.Mix(v.sets[c.set].seed, c.i))/math.MaxUint64 < v.Sample
}

// reader is what a thread reads with.
type reader struct {
	session s3.Session
	check   *generator.Checker
	set     int
	call    s3.Call
}

// compare reads an object, and compares it with what was uploaded. It returns false if ctx ended before.
func (v *Verification) compare(ctx context.Context, r *reader, thread int, c *cursor) bool {
	u := v.sets[c.set]
	if r.session == nil {
		r.session = v.Store.Session(thread)
	}
	if r.check == nil || r.set != c.set {
		r.check, r.set = u.data.Check(0, 0), c.set
	}
	o := u.object(c.i)
	err := retryTemporary(ctx, func() error {
		r.call.Reset()
		r.check.Reset(c.i, 0)
		r.call.Bucket, r.call.Key, r.call.Into = o.Bucket, o.Key, r.check
		return s3.Get(ctx, r.session, &r.call)
	})
	if err != nil && ctx.Err() != nil {
		return false
	}
	p := Problem{Key: o.Key}
	wrong, differs := r.check.Wrong()
	switch {
	case s3.NotThere(err) && !c.must:
		return true
	case s3.NotThere(err):
		p.Kind = ProblemMissing
	case err != nil:
		p.Kind, p.Detail = ProblemUnreadable, err.Error()
	case u.rewritten.has(c.i):
		v.mu.Lock()
		v.result.Rewritten++
		v.mu.Unlock()
	case r.call.Bytes != o.Size:
		p.Kind, p.Detail = ProblemWrong, fmt.Sprintf("%d bytes, want %d", r.call.Bytes, o.Size)
	case differs:
		p.Kind, p.Detail = ProblemWrong, fmt.Sprintf("byte %d of %d", wrong, o.Size)
	}
	v.count(p, r.call.Bytes)
	return true
}

// count counts an object, and reports its problem if it has one.
func (v *Verification) count(p Problem, bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Objects++
	v.result.Bytes += bytes
	switch p.Kind {
	case "":
		return
	case ProblemMissing:
		v.result.Missing++
	case ProblemWrong:
		v.result.Wrong++
	default:
		v.result.Unreadable++
	}
	if v.Found != nil {
		v.Found(p)
	}
}

var errContent = errors.New("an object does not hold what was uploaded")
