package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Worker is what one thread of a run works with. Its Call, record and body are reused, so that an operation costs no memory.
type Worker struct {
	ID   int // from 0, below the concurrency of the workload
	Turn load.Turn
	S3   s3.Session
	Set  *dataset.DataSet
	Call s3.Call
	Doc  ops.Document // for requests with a small body
	Auth s3.Auth      // of requests about objects; a workload may change it

	thread  uint32 // in records
	client  string
	bucket  string
	buckets []string // names by number; nil: there is one
	phase   string   // of the present turn
	stream  string
	target  *s3.Config // of the preparation, for its errors; nil: another part of the run
	kinds   []op.Kind  // that may be recorded
	records *op.WorkerBuf
	body    *generator.Body
	check   *generator.Checker
	lanes   []*Worker // for Parallel; the first is the worker itself
	conns   Connections
	rec     op.Op

	conditions Conditions // of requests on objects
	outcomes   outcomes
	labels     labels // of kinds of operations
	retry      *Retry // of operations; nil: each has one attempt
	again      bool   // the operation is attempted again

	plainRanges uint64 // see s3.Call.PlainRange
	hold        dataset.Hold
	sameObject  bool            // each turn has the object of the operation it follows
	over        <-chan struct{} // is closed when sending stops

	// Of the turn:
	due        time.Time // when its next operation should start; zero in a closed loop
	ready      time.Time // when it could have: it was due, and this thread was free; zero for all operations but the first
	performed  int       // operations
	failed     int       // of those
	unanswered bool      // no server answered one of them
	spent      span      // by operations since the turn or a whole began
	moved      int64     // bytes, by successful operations

	// Of the operation:
	requests, retries, resent int // before the present request
}

// turn performs one turn.
func (w *Worker) turn(ctx context.Context, t load.Turn, do func(context.Context, *Worker) error) error {
	w.begin(t)
	err := Guard(func() error { return do(ctx, w) })
	if errors.Is(err, load.ErrDone) || errors.Is(err, load.ErrUnsent) || errors.Is(err, load.ErrNoMore) || isFault(err) {
		return err
	}
	if w.performed == 0 {
		return &fault{fmt.Sprintf("a turn performed no operation (%v)", err)}
	}
	return err
}

// begin makes the worker ready for a turn.
func (w *Worker) begin(t load.Turn) {
	w.phase = w.stream
	if t.Warmup {
		w.phase = op.PhaseWarmup
	}
	w.Turn, w.ready = t, t.Ready
	w.due, w.performed, w.failed, w.unanswered, w.spent, w.moved = t.Due, 0, 0, false, span{}, 0
}

// join adds what another worker did of the same turn.
func (w *Worker) join(o *Worker) {
	w.performed += o.performed
	w.failed += o.failed
	w.moved += o.moved
	w.spent.add(o.spent)
	w.unanswered = w.unanswered || o.unanswered
}

// Op performs one operation of the turn, and records it. do makes its requests and fills in what the run cannot know of the
// record: key, bytes, and objects unless it is one. What two operations have in common counts in one of them only, so that
// totals are true. If do returns load.ErrDone, there was nothing to do, and nothing is recorded.
func (w *Worker) Op(ctx context.Context, kind op.Kind, do func(rec *op.Op) error) error {
	if w.retry != nil {
		return attempts(ctx, w, kind, do)
	}
	return w.once(ctx, kind, do)
}

// once makes one attempt at an operation, and records it.
func (w *Worker) once(ctx context.Context, kind op.Kind, do func(rec *op.Op) error) error {
	if w.performed > 0 && ctx.Err() != nil {
		return context.Cause(ctx) // the turn was cut
	}
	if !slices.Contains(w.kinds, kind) {
		return &fault{fmt.Sprintf("the workload does not declare that it performs %s", kind)}
	}
	w.Call.Reset()
	w.Call.Expected = w.outcomes.expected
	w.requests, w.retries, w.resent = 0, 0, 0
	rec := &w.rec
	*rec = op.Op{Kind: kind, Phase: w.phase, Client: w.client, Thread: w.thread, Due: w.due, Objects: 1, Start: clock.Now()}
	err := do(rec)
	rec.End = clock.Now()
	if errors.Is(err, load.ErrDone) {
		return err
	}
	w.finish(err)
	rec.OwnLate = w.ownLate(rec.Start)
	rec.Kind = w.labels.kind(rec.Kind)
	w.records.Add(rec)
	if rec.Err == "" && !rec.Kind.Whole() {
		w.moved += rec.Bytes
	}
	w.spent.add(span{rec.Start, rec.FirstByte, rec.End})
	w.performed++
	w.waited(rec.End)
	return w.failedRequest(kind, err)
}

// Parallel calls do for 0 to n-1, as many at a time as the traits declare lanes, each with a worker of its own. It returns
// when all have ended, with the first error, after which no further ones begin.
func (w *Worker) Parallel(ctx context.Context, n int, do func(ctx context.Context, w *Worker, i int) error) error {
	if n <= 0 {
		return nil
	}
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		errs   = make([]error, min(n, len(w.lanes)))
	)
	lanes := w.lanes[:min(n, len(w.lanes))]
	for _, lane := range lanes[1:] { // before the first one, which is w, changes what they begin with
		lane.begin(w.Turn)
		lane.due, lane.ready, lane.Auth = w.due, w.ready, w.Auth
	}
	for k, lane := range lanes {
		wg.Go(func() {
			errs[k] = Guard(func() error {
				for !failed.Load() && ctx.Err() == nil {
					i := int(next.Add(1)) - 1
					if i >= n {
						break
					}
					if err := do(ctx, lane, i); err != nil {
						failed.Store(true)
						return err
					}
				}
				return nil
			})
		})
	}
	wg.Wait()
	for _, lane := range lanes[1:] {
		w.join(lane)
		if w.Call.Host == "" { // the others were faster, and left it nothing to do
			w.Call.Host, w.Call.Status = lane.Call.Host, lane.Call.Status
		}
		if lane.due.After(w.due) {
			w.waited(lane.due)
		}
	}
	if i := slices.IndexFunc(errs, isFault); i >= 0 {
		return errs[i]
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ending reports whether sending has stopped, so that a turn of many operations should end.
func (w *Worker) ending() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

// Pause waits within a turn, and reports whether the time passed before ctx ended. It is no part of an operation.
func (w *Worker) Pause(ctx context.Context, d time.Duration) bool {
	waited := clock.Pause(ctx, d)
	w.waited(clock.Now())
	return waited
}

// CountRequest counts the request in w.Call, before the operation makes another one with it.
func (w *Worker) CountRequest() {
	c := &w.Call
	if c.PlainRange {
		w.plainRanges++
	}
	w.conns.count(w.rec.Kind, &c.Response)
	if w.requests == 0 && c.Retries == 0 && !c.Start.IsZero() {
		w.rec.Start = c.Start // what came before is not latency
	}
	w.requests++
	w.retries += c.Retries
	w.resent += c.Resent
}

// finish completes the record with what the engine saw.
func (w *Worker) finish(err error) {
	w.CountRequest()
	c, rec := &w.Call, &w.rec
	rec.Endpoint, rec.Status, rec.Retries, rec.Source = c.Host, c.Status, w.retries, c.Source
	rec.Arrived, rec.Resent = c.Arrived, w.resent
	// Recordings have one of the two at most, as MinIO warp knows them: with both it would take an upload's first byte for
	// that of a download. A response without a body ends with its first byte.
	switch {
	case rec.Kind.Upload():
		rec.Sent = c.Sent
	case rec.Kind == op.Get, rec.Kind == op.GetPart:
		rec.FirstByte = c.FirstByte
	}
	if err != nil {
		if outcome := w.outcomes.kind(rec.Kind, err); outcome != "" {
			rec.Kind, rec.Bytes, rec.Objects = outcome, 0, 1
			return
		}
		rec.Err = err.Error()
		w.failed++
		w.unanswered = w.unanswered || s3.NoResponse(err)
	}
}

// Object prepares w.Call for a request about o, and records its key.
func (w *Worker) Object(o dataset.Object, rec *op.Op) *s3.Call {
	w.Call.Key, w.Call.Version, w.Call.Size, w.Call.Auth = o.Key, o.Version, o.Size, w.Auth
	InBucket(w, o.Bucket, rec)
	if w.again && w.Set.KeepsETags() { // others have overwritten it
		o.ETag = w.Set.ETag(o.Index)
	}
	w.Call.If, w.Call.WantETag = w.conditions.of(rec.Kind, &o), w.Set.KeepsETags()
	rec.Key = o.Key
	return &w.Call
}

// Put uploads object i of the data set. It returns load.ErrDone if the store is full.
func (w *Worker) Put(ctx context.Context, i uint64) error {
	o := w.Set.Object(i)
	if err := w.Set.Reserve(o.Size); err != nil {
		return err
	}
	kind, send := op.Put, ops.Put
	if w.Auth == s3.AuthForm {
		kind, send = op.Post, ops.Post
	}
	err := w.Op(ctx, kind, func(rec *op.Op) error {
		c := w.Object(o, rec)
		w.body.Reset(i, o.Size)
		c.Body = w.body
		err := send(ctx, w.S3, c)
		if rec.Bytes = c.Bytes; kind == op.Post && err == nil {
			rec.Bytes = o.Size // of which the form has more
		}
		return w.Set.Stored(i, c, err)
	})
	if err != nil {
		w.Set.Free(o.Size)
	}
	return err
}

// PutNew uploads a new object and returns its index.
func (w *Worker) PutNew(ctx context.Context) (uint64, error) {
	i := w.Set.New()
	w.hold.Use(i)
	err := w.Put(ctx, i)
	if errors.Is(err, load.ErrDone) || err != nil && !w.Call.MaybeSent {
		w.Set.Unsent(i) // it was never sent
	}
	w.uploaded(i, err)
	return i, err
}

// uploaded records how the upload of a new object ended.
func (w *Worker) uploaded(i uint64, err error) {
	if err != nil {
		w.Set.Failed(i, true)
	}
	w.Set.Settle(i, err == nil)
}

// PutNewParts is PutNew in parts.
func (w *Worker) PutNewParts(ctx context.Context, p *Parts) (uint64, error) {
	i := w.Set.New()
	w.hold.Use(i)
	err := w.PutParts(ctx, i, p)
	w.uploaded(i, err)
	return i, err
}

// Append appends size bytes to object i of the data set, which has offset bytes. It returns load.ErrDone if the store is full.
func (w *Worker) Append(ctx context.Context, i uint64, offset, size int64) error {
	if err := w.Set.Reserve(size); err != nil {
		return err
	}
	err := w.Op(ctx, op.Append, func(rec *op.Op) error {
		c := w.Object(dataset.Object{Key: w.Set.Key(i), Bucket: w.Set.BucketOf(i), Size: size}, rec)
		w.body.ResetPart(i, offset, size)
		c.Body = w.body
		err := ops.Append(ctx, w.S3, c, offset)
		rec.Bytes = c.Bytes
		return err
	})
	if err != nil {
		w.Set.Free(size)
	}
	return err
}

// Get downloads length bytes of o from offset on; 0, 0 for all of it. With verify it compares them with what was uploaded.
func (w *Worker) Get(ctx context.Context, o dataset.Object, offset, length int64, verify bool) error {
	return w.Op(ctx, op.Get, func(rec *op.Op) error { return w.read(ctx, rec, o, piece{offset: offset, length: length}, verify) })
}

// read downloads a piece of o.
func (w *Worker) read(ctx context.Context, rec *op.Op, o dataset.Object, p piece, verify bool) (err error) {
	c := w.Object(o, rec)
	if verify {
		w.check.Reset(o.Index, p.offset)
		c.Into = w.check
	}
	switch {
	case p.zipped:
		err = ops.GetZipped(ctx, w.S3, c)
	case p.number > 0:
		c.Size = p.length
		err = ops.GetPart(ctx, w.S3, c, p.number)
	default:
		c.Offset, c.Length = p.offset, p.length
		err = ops.Get(ctx, w.S3, c)
	}
	rec.Bytes = c.Bytes
	if !verify || err != nil {
		return err
	}
	if off, wrong := w.check.Wrong(); wrong {
		return &s3.Error{
			Class: "wrong content", Status: c.Status, Err: errContent,
			Message: fmt.Sprintf("byte %d of %q is not what was uploaded", off, o.Key),
		}
	}
	return nil
}

// Pick returns the object to use in this turn. Of a data set that changes it is one that exists, and is not deleted meanwhile.
func (w *Worker) Pick() dataset.Object {
	if !w.Set.Changes() && !w.sameObject {
		w.hold.Use(w.Set.Index(w.Turn.N))
	}
	return w.Set.At(w.hold.Object())
}

// Taken returns the objects to delete in this turn, which no other turn uses; nil unless the data set changes.
func (w *Worker) Taken() []uint64 { return w.hold.Doomed() }

// Found reports whether there was an object for the turn, to be used or deleted; see Traits.Needs. If not, the turn is to upload one.
func (w *Worker) Found() bool { return w.hold.Has() || len(w.hold.Doomed()) > 0 }

// Request performs one operation on o, which is one request.
func (w *Worker) Request(ctx context.Context, kind op.Kind, o dataset.Object, send func(context.Context, s3.Session, *s3.Call) error) error {
	return w.Op(ctx, kind, func(rec *op.Op) error { return send(ctx, w.S3, w.Object(o, rec)) })
}

// Stat requests the properties of o.
func (w *Worker) Stat(ctx context.Context, o dataset.Object) error {
	return w.Request(ctx, op.Stat, o, ops.Stat)
}
