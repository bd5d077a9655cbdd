// Package model makes synthetic recordings whose statistics are known: a Run says how many threads of how many clients
// do what, and how long it takes; Write plays it and returns a Truth of what it put in, counted and not estimated. The
// same Run always gives the same operations.
package model

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// Run describes a synthetic run.
type Run struct {
	Seed    uint64
	Ops     int       // of all clients together
	Start   time.Time // of the first operation; zero: a fixed day
	Clients int       // at least 1; Write names them "client0", "client1", ...
	First   int       // number of the first client, so that several recordings make one run; each has objects of its own
	Threads int       // of each client, at least 1
	Hosts   int       // at least 1
	Objects int       // distinct objects, which threads take in turn; 0: operations have no keys
	Kinds   []Kind
	Gap     time.Duration // of a thread between two operations
	Late    time.Duration // above 0: an open loop, whose operations start this long after they were due
	Skew    time.Duration // clock of each client against the one before
	Phase   string
	ByStart bool // operations come in the order of their starts, not ends
}

// Kind is one sort of operation in a Run.
type Kind struct {
	Kind       op.Kind
	Weight     int     // share of operations, relative to the other kinds
	Latency    Dist    // from start to end
	Sizes      []int64 // bytes, taken in turn
	ErrorEvery int     // above 0: one in this number of operations fails, by turns in each of the classes
	Errors     []string
}

// Truth is what a Run put in.
type Truth struct {
	Ops         int64
	First, Last time.Time // first start and last end
	Kinds       map[op.Kind]*KindTruth
}

// KindTruth is what a Run put in of one kind.
type KindTruth struct {
	Requests, Errors int64
	Bytes            int64            // of successful operations
	ByHost, ByClient map[string]int64 // requests
	ByClass          map[string]int64 // errors
	Service          Drawn            // start to end of successful operations
}

// start is when runs begin that do not say when.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// batch is how many operations are handed to the sink at once.
const batch = 256

// Write plays the run into sink, which it leaves open. Operations come in the order of their ends, or starts, by each
// client's own clock put right.
func (r Run) Write(sink op.Sink) (*Truth, error) {
	if r.Ops < 0 || r.Clients < 1 || r.Threads < 1 || r.Hosts < 1 || len(r.Kinds) == 0 {
		return nil, errors.New("synthetic run: it needs a client, a thread, a host and a kind at least")
	}
	p := newPlayer(r)
	ops := make([]op.Op, 0, batch)
	for range r.Ops {
		ops = append(ops, p.next())
		if len(ops) == batch {
			if err := sink.Write(ops); err != nil {
				return nil, err
			}
			ops = ops[:0]
		}
	}
	if err := sink.Write(ops); err != nil {
		return nil, err
	}
	return p.finish(), nil
}

// Pattern is the kinds of successive operations, over and over.
func (r Run) pattern() []int {
	var order []int
	for more, n := true, 0; more; n++ {
		more = false
		for i, k := range r.Kinds {
			if n < max(1, k.Weight) {
				order = append(order, i)
				more = true
			}
		}
	}
	return order
}

// names are prefix0, prefix1, ... suffix.
func names(prefix string, first, n int, suffix string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = prefix + strconv.Itoa(first+i) + suffix
	}
	return list
}

// keys are n object names of the usual length, of the run whose first client that is.
func keys(n, first int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("run%d%03x/%07d.%016x.rnd", first, i%256, i, uint64(i)*0x9e3779b97f4a7c15)
	}
	return list
}

// Record writes the run as a recording. If stated is set, that says at its end which windows it has, as those that warp
// makes do.
func (r Run) Record(w io.Writer, h recording.Header, stated bool) (*Truth, error) {
	rec, err := recording.NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	bounds := aggregate.NewBounds(aggregate.Options{})
	truth, err := r.Write(both{rec, bounds})
	if err == nil && stated {
		err = rec.SetEnd(aggregate.Trailer{Windows: bounds.Windows()})
	}
	return truth, errors.Join(err, rec.Close())
}

// both hands operations to two sinks.
type both [2]op.Sink

func (b both) Write(ops []op.Op) error { return errors.Join(b[0].Write(ops), b[1].Write(ops)) }

func (b both) Close() error { return errors.Join(b[0].Close(), b[1].Close()) }
