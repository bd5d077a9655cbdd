package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var mixedInfo = Info{
	Name:  "mixed",
	Usage: "benchmark downloads, uploads, deletions and HEAD requests at once",
	Description: "Uploads --objects objects as a pool, then mixes operations on it for --duration, in the proportions " +
		"of the --*-distrib flags. An uploaded object joins the pool, a deleted one leaves it, so the pool grows for as " +
		"long as the share of PUT is above that of DELETE.",
	Size:    "10MiB",
	Example: "--objects=500 --obj.size=1MiB --get-distrib=60 --stat-distrib=0 --put-distrib=20 --delete-distrib=20",
	New:     func() Workload { return &Mixed{} },
}

// maxPool is the maximum number of objects in a pool, at 16 bytes each.
const maxPool = 100_000_000

// Mixed performs several kinds of operations on a pool of objects.
type Mixed struct {
	Prepared
	Picks
	Ranges
	Conditions
	Parts
	GetShare      Share  `json:"get_distrib"`
	StatShare     Share  `json:"stat_distrib"`
	PutShare      Share  `json:"put_distrib"`
	PutPartsShare Share  `json:"multipart_put_distrib,omitempty"`
	DeleteShare   Share  `json:"delete_distrib"`
	Others        Shares `json:"other_distribs,omitzero"`
	CompanionParams

	pool     *pool
	kinds    Proportions
	others   []Operation
	deleted  atomic.Uint64
	replaced atomic.Uint64 // DELETE operations that became uploads
	lost     atomic.Uint64 // uploads that failed
}

// Flags binds the parameters.
func (m *Mixed) Flags(fs *flag.FlagSet) {
	m.Bind(fs, 2500)
	m.Picks.Bind(fs, "uniform, zipf(0.99), ycsb-zipf, hot(10%,90%) or hot(10%,90%,shift=1%/min)", "any object of the pool")
	fs.Var(&m.PutPartsShare, "multipart-put-distrib", "`SHARE` share of uploads in parts of --part.size, each of which counts as one")
	m.Others.Bind(fs)
	m.CompanionParams.Bind(fs)
	m.Parts.Bind(fs, 5<<20, 5, "with --multipart-*distrib: size of a part; only the last one of an object may be smaller")
	m.Conditions.Bind(fs)
}

// Bind binds those of the four operations on whole objects, with a default of --objects.
func (m *Mixed) Bind(fs *flag.FlagSet, objects uint64) {
	m.Prepared.Bind(fs, objects, "")
	m.Ranges.Bind(fs)
	m.GetShare, m.StatShare, m.PutShare, m.DeleteShare = 45, 30, 15, 10
	fs.Var(&m.GetShare, "get-distrib", "`SHARE` share of GET operations; shares are parts of their sum")
	fs.Var(&m.StatShare, "stat-distrib", "`SHARE` share of STAT operations")
	fs.Var(&m.PutShare, "put-distrib", "`SHARE` share of PUT operations")
	fs.Var(&m.DeleteShare, "delete-distrib", "`SHARE` share of DELETE operations; at most that of uploads, so that objects do not run out")
}

// Validate checks the parameters.
func (m *Mixed) Validate(_ *Stream, data generator.Spec) []error {
	errs := append(m.CheckMix(data), m.Parts.Check()...)
	switch {
	case len(errs) > 0 || !m.inParts():
		return errs
	case m.PutPartsShare > 0 && (m.IfMatch == Current || m.IfNoneMatch == Current):
		return []error{option.Errorf("if-match, if-none-match", "current: not with --multipart-put-distrib: the ETags of those objects are not kept")}
	}
	return m.Parts.CheckSizes(data.Sizes)
}

// CheckMix returns errors for invalid parameters, but for those of parts.
func (m *Mixed) CheckMix(data generator.Spec) []error {
	errs := append(m.Prepared.Check(), m.Ranges.Check(data, false)...)
	if len(errs) == 0 {
		errs = m.Prepared.CheckMax(maxPool)
	}
	errs = append(errs, m.Picks.CheckOneOf("objects join and leave the pool", generator.Independent, generator.Zipf, generator.YCSBZipf, generator.HotSet)...)
	if m.Access.Last > 0 {
		errs = append(errs, option.Errorf("access", "range: objects join and leave the pool"))
	}
	errs = slices.Concat(errs, m.Others.Check(), m.Conditions.Check())
	for _, s := range m.shares()[:mixOthers] {
		if err := s.share.Check(); err != nil {
			errs = append(errs, option.Invalid(s.flag, float64(s.share), "a number from 0"))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if len(m.Traits().Kinds) == 0 {
		return []error{option.Errorf("get-distrib, stat-distrib, put-distrib, delete-distrib", "all are 0, so there is nothing to do with the objects of the pool")}
	}
	if m.DeleteShare > m.PutShare+m.PutPartsShare {
		return []error{option.Errorf("delete-distrib", "%v is more than the %v of put-distrib, so objects would run out; lower it, or raise --put-distrib",
			m.DeleteShare, m.PutShare+m.PutPartsShare)}
	}
	return nil
}

// inParts reports whether objects are transferred in parts.
func (m *Mixed) inParts() bool { return m.PutPartsShare > 0 || m.Others.InParts() }

type kindShare struct {
	flag  string
	kinds []op.Kind
	share Share
}

// Places in the list of shares.
const (
	mixGet = iota
	mixStat
	mixPut
	mixPutParts
	mixDelete
	mixOthers // from here on: Operations
)

func (m *Mixed) shares() []kindShare {
	list := []kindShare{
		mixGet:      {"get-distrib", []op.Kind{op.Get}, m.GetShare},
		mixStat:     {"stat-distrib", []op.Kind{op.Stat}, m.StatShare},
		mixPut:      {"put-distrib", []op.Kind{op.Put}, m.PutShare},
		mixPutParts: {"multipart-put-distrib", (&MultipartPut{}).Traits().Kinds, m.PutPartsShare},
		mixDelete:   {"delete-distrib", []op.Kind{op.Delete}, m.DeleteShare},
	}
	for _, o := range Operations(m) {
		list = append(list, kindShare{o.Flag(), o.Kinds, m.Others.Of(o.Name)})
	}
	return list
}

// Traits declares that objects are uploaded and deleted. Clients can share a data set: each deletes only what it uploaded
// while measuring.
func (m *Mixed) Traits() Traits {
	t := Traits{Effect: Changes, Objects: m.Objects, Shares: true, Access: m.Access, If: m.Conditions, Ranges: m.Ranges.All()}
	t.If.Only = []op.Kind{op.Get, op.Stat}
	if !m.Others.IsZero() {
		t.Probe = m.Others.Probe
	}
	for _, s := range m.shares() {
		for _, k := range s.kinds {
			if s.share > 0 && !slices.Contains(t.Kinds, k) {
				t.Kinds = append(t.Kinds, k)
			}
		}
	}
	if m.inParts() {
		t.Rare, t.Lanes = []op.Kind{op.AbortUpload}, m.Concurrency
	}
	return t
}

// Prepare sets up the pool of objects and the sequence of kinds.
func (m *Mixed) Prepare(set *DataSet, threads int) error {
	m.kinds, m.others = m.proportions(set.Seed(StreamKind)), Operations(m)
	if set.Shared() {
		m.pool = newSharedPool(m.Objects)
	} else {
		m.pool = newPool(0, m.Objects, int(min(m.Objects, uint64(threads))))
	}
	return nil
}

// Examine makes sure that the server copies ranges of objects, if they are copied in parts.
func (m *Mixed) Examine(ctx context.Context, sess s3.Session, set *DataSet, bucket string) error {
	if m.Others.Of("multipart-copy") == 0 {
		return nil
	}
	return (&Copy{Parts: m.Parts}).Examine(ctx, sess, set, bucket)
}

func (m *Mixed) proportions(seed uint64) Proportions {
	var shares []Share
	for _, s := range m.shares() {
		shares = append(shares, s.share)
	}
	return NewProportions(seed, shares...)
}

// Do performs one operation of the kind that is due in this turn.
func (m *Mixed) Do(ctx context.Context, w *Worker) error {
	seed, turn := w.Set.Seed(StreamObject), w.Turn.N
	kind := m.kinds.At(turn)
	if kind >= mixOthers {
		i := m.pool.read(&w.Set.Access, turn)
		defer m.pool.release(i)
		return m.others[kind-mixOthers].Do(ctx, w, w.Set.At(i))
	}
	switch kind {
	case mixGet:
		i := m.pool.read(&w.Set.Access, turn)
		defer m.pool.release(i)
		return m.Get(ctx, w, w.Set.At(i))
	case mixStat:
		i := m.pool.read(&w.Set.Access, turn)
		defer m.pool.release(i)
		return w.Stat(ctx, w.Set.At(i))
	case mixDelete:
		if i, again, ok := m.pool.take(seed, turn); ok {
			m.deleted.Add(1)
			return m.delete(ctx, w, i, again)
		}
		m.replaced.Add(1)
	}
	i, err := m.put(ctx, w, kind == mixPutParts || m.PutShare == 0)
	if err == nil {
		m.pool.add(i)
	} else {
		m.lost.Add(1)
	}
	return err
}

// put uploads a new object.
func (m *Mixed) put(ctx context.Context, w *Worker, inParts bool) (uint64, error) {
	if !inParts {
		return w.PutNew(ctx)
	}
	return w.PutNewParts(ctx, &m.Parts)
}

// delete deletes object i. If that fails and the object certainly remains, it returns to the pool. If the server may have
// deleted it in spite of the error, it is not read again, since the run would cause a 404 itself: the next DELETE operation
// deletes it again, and then a 404 is no error.
func (m *Mixed) delete(ctx context.Context, w *Worker, i uint64, again bool) error {
	return w.Op(ctx, op.Delete, func(rec *op.Op) error {
		err := s3.Delete(ctx, w.S3, w.Object(w.Set.At(i), rec))
		if err == nil {
			w.Set.Gone(i)
			return nil
		}
		var e *s3.Error
		status := 0
		if errors.As(err, &e) {
			status = e.Status
		}
		switch {
		case status == http.StatusNotFound:
			w.Set.Gone(i)
			if again {
				return nil
			}
		case !again && (!w.Call.Begun || refuses(status)):
			m.pool.add(i)
		default:
			m.pool.doubt(i)
		}
		return err
	})
}

// refuses reports whether a response with this status says that the request was not performed. A server, or a proxy before
// it, may send others after it was.
func refuses(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// Warnings reports DELETE operations for which the pool had no object. Shared objects are never deleted, so the first
// of them come before there is anything to delete; in a run of any length they are too few to report.
func (m *Mixed) Warnings() []string {
	n := m.replaced.Load()
	switch {
	case n == 0, m.pool.shared > 0 && n <= (n+m.deleted.Load())/100:
		return nil
	case m.pool.shared > 0:
		return []string{fmt.Sprintf("%d of %d DELETE operations were replaced by PUT, because of shared data a client deletes only what it uploaded itself; use a longer --duration or a lower --delete-distrib",
			n, n+m.deleted.Load())}
	}
	why := ""
	if lost := m.lost.Load(); lost > 0 {
		why = fmt.Sprintf("%d uploads failed and ", lost)
	}
	return []string{fmt.Sprintf("%d DELETE operations were replaced by PUT, because %sthe pool was down to %d objects; use more --objects",
		n, why, m.pool.reserve)}
}

// pool holds the objects that mixed operations work on, 16 bytes each. Any number of operations may read an object at
// once; one that is being read is not deleted, so that the run causes no 404 itself.
type pool struct {
	shared  uint64 // objects 0 to shared-1 are in the pool as well, for reading only: other clients read them too
	mu      sync.Mutex
	entries []entry
	place   map[uint64]int // index of an object in entries, by object; only of objects that are being read
	reserve int            // deletions leave at least so many
	doubted []uint64       // objects out of the pool whose deletion failed, though it may have been carried out
}

type entry struct {
	object  uint64
	readers uint32
}

// newPool returns a pool of n objects from index first on.
func newPool(first, n uint64, reserve int) *pool {
	p := &pool{entries: make([]entry, n), place: map[uint64]int{}, reserve: reserve}
	for i := range p.entries {
		p.entries[i].object = first + uint64(i)
	}
	return p
}

// newSharedPool returns a pool of n objects that are only read; those added later can be deleted.
func newSharedPool(n uint64) *pool { return &pool{shared: n, place: map[uint64]int{}} }

// add adds an uploaded object.
func (p *pool) add(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = append(p.entries, entry{object: object})
}

// read picks an object to read; release must be called with it afterwards. The pool is never empty.
func (p *pool) read(a *Access, turn uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := a.Among(turn, p.shared+uint64(len(p.entries)))
	if k < p.shared {
		return k
	}
	i := int(k - p.shared)
	e := &p.entries[i]
	e.readers++
	p.place[e.object] = i
	return e.object
}

// release ends the reading of an object.
func (p *pool) release(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if object < p.shared {
		return
	}
	e := &p.entries[p.place[object]]
	if e.readers--; e.readers == 0 {
		delete(p.place, object)
	}
}

// doubt records that an object that was taken may be deleted or not. It is taken again before any other.
func (p *pool) doubt(object uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubted = append(p.doubted, object)
}

// take removes an object from the pool, to be deleted, perhaps again. It returns false if the pool is down to its reserve.
func (p *pool) take(seed, turn uint64) (object uint64, again, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.doubted) > 0 {
		object, p.doubted = p.doubted[0], p.doubted[1:]
		return object, true, true
	}
	n := len(p.entries)
	if n <= p.reserve {
		return 0, false, false
	}
	// From a random place on, the first object without readers: at most as many have readers as there are threads.
	from := int(generator.Uniform(seed, turn, uint64(n)))
	for k := range n {
		if i := (from + k) % n; p.entries[i].readers == 0 {
			return p.remove(i), false, true
		}
	}
	return 0, false, false
}

// remove fills the gap with the last entry.
func (p *pool) remove(i int) uint64 {
	object := p.entries[i].object
	last := len(p.entries) - 1
	p.entries[i] = p.entries[last]
	if p.entries[i].readers > 0 {
		p.place[p.entries[i].object] = i
	}
	p.entries = p.entries[:last]
	return object
}
