package aggregate

import (
	"sync"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/op"
)

// objects is the objects that the operations of a group used, and those that they read.
type objects struct {
	tally    tally
	accesses *accesses // nil: reads are not told apart
	totals   []*objects
}

// objectOp is a successful operation on an object, as the tables of objects need it.
type objectOp struct {
	of    *objects
	hash  uint64 // of the key; the same in all processes, so that tallies can be merged
	bytes int64
	visit visit
	late  int64 // of the visit
	open  bool  // the visit had a due time
	read  bool  // it counts as a visit
	used  bool  // it used this object only
}

// objectBatch is the number of operations of a batch.
const objectBatch = 1 << 11

// objectQueue fills the tables of objects in another goroutine, a batch at a time: in tables of many objects each look waits for memory.
// The zero value is ready.
type objectQueue struct {
	next  []objectOp
	batch []objectOp // in the hands of the goroutine
	added int64      // by it: objects for which memory was added
	busy  sync.WaitGroup
}

// add counts an operation. It returns for how many objects memory was added lately.
func (q *objectQueue) add(of *objects, o *op.Op, r *decode.Record) (added int64) {
	if r.Failed || o.Key == "" {
		return 0
	}
	e := objectOp{of: of, bytes: r.Bytes, read: of.accesses != nil && !r.Broken, used: usesObject(o)}
	if !e.read && !e.used {
		return 0
	}
	e.hash = xxhash.Sum64String(o.Key)
	if e.read {
		e.visit, e.open = visit{r.Start, r.End - r.Start, -1}, r.Open
		if r.HasTTFB {
			e.visit.ttfb = r.TTFB
		}
		if r.Open {
			e.late = r.Latency - e.visit.service
		}
	}
	if q.next = append(q.next, e); len(q.next) < objectBatch {
		return 0
	}
	return q.handOver()
}

// handOver gives the goroutine the next batch, once it has counted the one before.
func (q *objectQueue) handOver() (added int64) {
	added = q.wait()
	q.next, q.batch = q.batch[:0], q.next
	q.busy.Go(func() {
		for i := range q.batch {
			q.added += q.batch[i].count()
		}
	})
	return added
}

// flush counts everything that was added.
func (q *objectQueue) flush() (added int64) { return q.handOver() + q.wait() }

func (q *objectQueue) wait() (added int64) {
	q.busy.Wait()
	added, q.added = q.added, 0
	return added
}

// count counts the operation in the tables of its group and of its totals.
func (e *objectOp) count() (added int64) {
	if e.used {
		e.of.tally.add(e.hash, e.bytes)
		for _, t := range e.of.totals {
			t.tally.add(e.hash, e.bytes)
		}
	}
	if e.read {
		return e.of.accesses.add(e.hash, e.visit, e.late, e.open)
	}
	return 0
}
