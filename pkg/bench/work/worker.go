// Package work is what a workload sees of a run: the Worker that performs the operations of a turn and records them, and the interfaces and
// traits by which a workload tells the engine what it does.
package work

import (
	"slices"
	"time"

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

	origin   origin
	buckets  buckets
	record   recorder
	contents contents
	requests requests
	lanes    []*Worker // for Parallel; the first is the worker itself
	use      use
	turn     turn
}

// origin is where the records of a worker come from.
type origin struct {
	client string
	thread uint32
	stream string
	target *s3.Config      // of the preparation, for its errors; nil in other parts of a run
	end    <-chan struct{} // closed when sending stops
}

// buckets are the names of the buckets that objects are spread over.
type buckets struct {
	first string
	names []string // by number; nil if there is one
}

// recorder makes the records of operations.
type recorder struct {
	kinds    []op.Kind // that may be recorded
	buffer   *op.WorkerBuf
	labels   labels // of kinds of operations
	outcomes outcomes
	phase    string // of the present turn
	op       op.Op
}

// contents makes what is uploaded, and compares what is downloaded.
type contents struct {
	body  *generator.Body
	check *generator.Checker
}

// requests is the state of requests, and their counts.
type requests struct {
	conditions Conditions // of requests on objects
	retry      *Retry     // of operations; nil: each has one attempt
	again      bool       // the operation is attempted again

	connections Connections
	plainRanges uint64 // see s3.Call.PlainRange

	n, retries, resent int // of the operation, before the present request
}

// use is what a turn uses of its data set.
type use struct {
	dataset.Hold
	same bool // each turn has the object of the operation it follows
}

// turn is what a turn has done so far.
type turn struct {
	due        time.Time // when its next operation should start; zero in a closed loop
	ready      time.Time // when it could have: it was due, and this thread was free; zero for all operations but the first
	performed  int       // operations
	failed     int       // of those
	unanswered bool      // no server answered one of them
	spent      span      // by operations since the turn or a whole began
	moved      int64     // bytes, by successful operations
}

// Options are what the workers of a task have in common.
type Options struct {
	Client     string
	Stream     string
	Set        *dataset.DataSet
	Bucket     string
	Buckets    []string // names by number; nil if there is one
	Kinds      []op.Kind
	Conditions Conditions
	Outcomes   []int  // statuses that are results of operations, besides success
	Label      string // of kinds of operations
	Retry      *Retry
	Target     *s3.Config // of a worker of the preparation
	End        <-chan struct{}
}

// Lane is what a worker needs for one operation at a time.
type Lane struct {
	Thread  uint32 // in records
	Session s3.Session
	Records *op.WorkerBuf
}

// New returns worker number id with one lane or several.
func New(id int, o *Options, lanes ...Lane) *Worker {
	all := make([]*Worker, len(lanes))
	for i, lane := range lanes {
		all[i] = &Worker{
			ID:       id,
			S3:       lane.Session,
			Set:      o.Set,
			origin:   origin{client: o.Client, thread: lane.Thread, stream: o.Stream, target: o.Target, end: o.End},
			buckets:  buckets{first: o.Bucket, names: o.Buckets},
			record:   recorder{kinds: o.Kinds, buffer: lane.Records, labels: labels{label: o.Label}, outcomes: outcomes{expected: o.Outcomes}},
			contents: contents{body: o.Set.Body(), check: o.Set.Check()},
			requests: requests{conditions: o.Conditions, retry: o.Retry},
		}
	}
	all[0].lanes = all
	return all[0]
}

// Lanes returns a worker for each operation that a turn has at once; the first is the worker itself.
func (w *Worker) Lanes() []*Worker { return w.lanes }

// Failed returns the number of operations of the turn that failed.
func (w *Worker) Failed() int { return w.turn.failed }

// Unanswered reports whether no server answered an operation of the turn.
func (w *Worker) Unanswered() bool { return w.turn.unanswered }

// Moved returns the bytes that successful operations of the turn transferred.
func (w *Worker) Moved() int64 { return w.turn.moved }

// Connections returns the connections of all turns so far.
func (w *Worker) Connections() Connections { return w.requests.connections }

// PlainRanges returns how many ranges were answered with the whole object.
func (w *Worker) PlainRanges() uint64 { return w.requests.plainRanges }

// Last returns the record of the last operation.
func (w *Worker) Last() *op.Op { return &w.record.op }

// SetThread sets the thread of the records to come.
func (w *Worker) SetThread(n uint32) { w.origin.thread = n }

// SetEnd sets what is closed when sending stops.
func (w *Worker) SetEnd(end <-chan struct{}) { w.origin.end = end }

// End is closed when sending stops.
func (w *Worker) End() <-chan struct{} { return w.origin.end }

// Bucket returns the name of the first bucket.
func (w *Worker) Bucket() string { return w.buckets.first }

// Body returns the contents that follow from a number, for an upload. The next call changes them.
func (w *Worker) Body(n uint64, size int64) *generator.Body {
	w.contents.body.Reset(n, size)
	return w.contents.body
}

// BodyPart is Body for a part of the contents.
func (w *Worker) BodyPart(n uint64, offset, length int64) *generator.Body {
	w.contents.body.ResetPart(n, offset, length)
	return w.contents.body
}

// Expecting has a status count as a result of the operations of do, rather than a failure.
func (w *Worker) Expecting(status int, do func() error) error {
	o := &w.record.outcomes
	before := o.expected
	defer func() { o.expected = before }()
	o.expected = append(slices.Clip(before), status)
	return do()
}
