package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Verification compares the objects that a run left in its bucket with its uploads, byte by byte. The uploads come from its recording (see
// Add), the contents from its plan.
type Verification struct {
	Plan     *Compiled // or decoded only
	Store    s3.Store
	Threads  int
	From     uint64        // number of objects to skip, in the order of verification
	Sample   float64       // share of the objects to read, above 0 and up to 1
	Found    func(Problem) // called for each object with a problem, never concurrently
	Observer Observer      // may be nil

	sets   []*uploaded
	bucket map[string]int       // number of a bucket by its name
	last   map[string]*uploaded // place of each client's latest object
	cursor cursor
	mu     sync.Mutex // guards result and Found
	result Verified
}

// Problem is an object that differs from its upload.
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
	Objects    uint64 `json:"objects"` // compared, including objects with problems
	Bytes      int64  `json:"bytes"`
	Missing    uint64 `json:"missing"`
	Wrong      uint64 `json:"wrong"`
	Unreadable uint64 `json:"unreadable"`
	Next       uint64 `json:"next"` // the From that continues after an interruption
	Complete   bool   `json:"complete"`

	Rewritten uint64 `json:"rewritten,omitempty"` // of Objects: the plan does not determine their contents, at most the size was compared
}

// Problems returns the number of objects that differ from their uploads.
func (v *Verified) Problems() uint64 { return v.Missing + v.Wrong + v.Unreadable }

// NewVerification returns a Verification of a run with a number of clients (0: one), or only of one client's uploads.
func NewVerification(plan *Compiled, clients uint64, client *uint64) (*Verification, error) {
	if plan.Target.Encrypt {
		return nil, errors.New("the run encrypted its objects (--encrypt) with a random key, which is recorded nowhere, so they cannot be read")
	}
	if slices.ContainsFunc(plan.sets, func(s *setPlan) bool { return s.names > 0 }) {
		const text = "the run uploaded versions of objects, whose ids are not recorded, so it is not known which version must hold what"
		return nil, errors.New(text)
	}
	switch {
	case client != nil:
		plan.Target = plan.Target.OfClient(*client)
	case clients > 1 && plan.Target.BucketPerClient():
		return nil, errors.New("each client of the run has a bucket of its own ({client} in --bucket); verify the recordings of the clients")
	}
	v := &Verification{Plan: plan, Threads: 1, Sample: 1, last: make(map[string]*uploaded), bucket: make(map[string]int)}
	for n, name := range plan.Target.BucketNames() {
		v.bucket[name] = n
	}
	var err error
	plan.eachSet(clients, client, func(set *setPlan, share uint64) {
		if err != nil || !set.makes {
			return
		}
		u := &uploaded{rewrites: set.rewrite}
		if u.Layout, err = dataset.NewLayout(set.spec, plan.keys(set, share), plan.seedOf(set, share), set.seed, 0); err == nil {
			u.setContents(plan, set)
			v.sets = append(v.sets, u)
		}
	})
	return v, err
}

// Run compares the objects. It fails only if it cannot go on; wrong objects are counted, not returned.
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
	v.Observer.Stage(Stage{
		Name:     StageVerify,
		Workload: v.Plan.Title(),
		Start:    clock.Now(),
		Total:    total - min(v.From, total),
		Done:     done.Load,
	})
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
		for end := max(u.made.End(), u.tried.End(), u.doubted.End()); c.i < end; {
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
	return v.Sample >= 1 || v.sets[c.set].Sampled(c.i) < v.Sample
}

// reader is the state of a reading thread.
type reader struct {
	session s3.Session
	data    *generator.Checker
	own     ownCheck
	set     int
	call    s3.Call
}

// compare reads an object, and compares it with its upload. It returns false if ctx ends first.
func (v *Verification) compare(ctx context.Context, r *reader, thread int, c *cursor) bool {
	u := v.sets[c.set]
	if r.session == nil {
		r.session = v.Store.Session(thread)
	}
	if r.data == nil || r.set != c.set {
		r.data, r.own, r.set = u.Check(), ownCheck{open: u.open}, c.set
	}
	check := contentCheck(r.data)
	if u.isOwn(c.i) {
		check = &r.own
	}
	o := u.Object(c.i)
	o.Size = u.size(c.i)
	err := work.RetryTemporary(ctx, func() error {
		r.call.Reset()
		check.Reset(u.contentOf(c.i), 0)
		r.call.Bucket, r.call.Key, r.call.Into = o.Bucket, o.Key, check
		return ops.Get(ctx, r.session, &r.call)
	})
	if err != nil && ctx.Err() != nil {
		return false
	}
	p := Problem{Key: o.Key}
	wrong, differs := check.Wrong()
	switch {
	case s3.IsNotFound(err) && !c.must:
		return true
	case s3.IsNotFound(err):
		p.Kind = ProblemMissing
	case err != nil:
		p.Kind, p.Detail = ProblemUnreadable, err.Error()
	case o.Size >= 0 && r.call.Bytes != o.Size:
		p.Kind, p.Detail = ProblemWrong, fmt.Sprintf("%d bytes, want %d", r.call.Bytes, o.Size)
	case u.unknown(c.i):
		v.mu.Lock()
		v.result.Rewritten++
		v.mu.Unlock()
	case differs:
		p.Kind, p.Detail = ProblemWrong, fmt.Sprintf("byte %d of %d", wrong, r.call.Bytes)
	}
	v.count(p, r.call.Bytes)
	return true
}

// count counts an object, and reports its problem, if any.
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
