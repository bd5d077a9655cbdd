// Package work is a workload's view of a run: the Worker that performs and records the operations of a turn, and the interfaces and
// traits that tell the engine what the workload does.
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

// Worker is the state of one thread of a run. Its Call, record and body are reused, so that operations do not allocate.
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

// contents generates uploads and checks downloads.
type contents struct {
	body  *generator.Body
	check *generator.Checker
}

// requests is the state and the counts of requests.
type requests struct {
	conditions Conditions // of requests on objects
	retry      *Retry     // of operations; nil: a single attempt each
	again      bool       // the attempt is not the first

	connections Connections
	plainRanges uint64 // see s3.Call.PlainRange

	n, retries, resent int // of the operation, before the present request

	partSize int64 // see s3.Uploads
}

// use is a turn's hold on its data set.
type use struct {
	dataset.Hold
	same bool // each turn has the object of the operation it follows
}

// turn is the progress of a turn.
type turn struct {
	due        time.Time // due time of its next operation; zero in a closed loop
	ready      time.Time // from when on it was due with this thread free; zero for all operations but the first
	performed  int       // operations
	failed     int       // operations
	unanswered bool      // no server answered one of them
	spent      span      // from operations since the turn or a whole began
	moved      int64     // bytes, by successful operations
}

// Options are common to the workers of a task.
type Options struct {
	Client     string
	Stream     string
	Set        *dataset.DataSet
	Bucket     string
	Buckets    []string // names by number; nil if there is one
	Kinds      []op.Kind
	Conditions Conditions
	Outcomes   []int  // expected statuses other than success
	Label      string // of kinds of operations
	Retry      *Retry
	Target     *s3.Config // of a worker of the preparation
	PartSize   int64      // see s3.Uploads
	End        <-chan struct{}
}

// Lane is a worker's means for one operation at a time.
type Lane struct {
	Thread  uint32 // in records
	Session s3.Session
	Records *op.WorkerBuf
}

// New returns worker number id with one or several lanes.
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
			requests: requests{conditions: o.Conditions, retry: o.Retry, partSize: o.PartSize},
		}
	}
	all[0].lanes = all
	return all[0]
}

// Lanes returns a worker for each parallel operation of a turn; the first is the worker itself.
func (w *Worker) Lanes() []*Worker { return w.lanes }

// Failed returns the number of operations of the turn that failed.
func (w *Worker) Failed() int { return w.turn.failed }

// Unanswered reports whether no server answered an operation of the turn.
func (w *Worker) Unanswered() bool { return w.turn.unanswered }

// Moved returns the bytes that successful operations of the turn transferred.
func (w *Worker) Moved() int64 { return w.turn.moved }

// Connections returns the connections of all turns so far.
func (w *Worker) Connections() Connections { return w.requests.connections }

// PlainRanges returns the number of ranges answered with the whole object.
func (w *Worker) PlainRanges() uint64 { return w.requests.plainRanges }

// Last returns the record of the last operation.
func (w *Worker) Last() *op.Op { return &w.record.op }

// SetThread sets the thread of the records to come.
func (w *Worker) SetThread(n uint32) { w.origin.thread = n }

// SetEnd sets the channel that is closed when sending stops.
func (w *Worker) SetEnd(end <-chan struct{}) { w.origin.end = end }

// End returns the channel that is closed when sending stops.
func (w *Worker) End() <-chan struct{} { return w.origin.end }

// Bucket returns the name of the first bucket.
func (w *Worker) Bucket() string { return w.buckets.first }

// Body returns contents to upload, a function of n. They are valid until the next call.
func (w *Worker) Body(n uint64, size int64) *generator.Body {
	w.contents.body.Reset(n, size)
	return w.contents.body
}

// BodyPart is Body for a part of the contents.
func (w *Worker) BodyPart(n uint64, offset, length int64) *generator.Body {
	w.contents.body.ResetPart(n, offset, length)
	return w.contents.body
}

// Expecting counts a status of the operations of do as an outcome, not as a failure.
func (w *Worker) Expecting(status int, do func() error) error {
	o := &w.record.outcomes
	before := o.expected
	defer func() { o.expected = before }()
	o.expected = append(slices.Clip(before), status)
	return do()
}
