package aggregate

import "warp/pkg/op"

// Running computes the statistics of a run while it goes on: its windows, and in most runs the figures of its report too, so that
// the recording need not be read again. It is an op.Sink.
type Running struct{ finder *finder }

// batchRows is how many operations of a thread may follow each other, at most: operations arrive in batches, see op.Collector.
const batchRows = 100

// NewRunning returns a Running for a report with these options. It computes figures only if all operations count, in segments of
// the usual lengths.
func NewRunning(opts Options) *Running {
	of := opts
	of.Segment, of.Skip, of.Op, of.Host = 0, 0, "", ""
	f := newFinder(of)
	f.perThread, f.most = batchRows, 4*mostHeld
	f.lost = opts.Segment > 0 || opts.Skip > 0 || opts.Op != "" || opts.Host != ""
	return &Running{f}
}

// Write accepts operations in any order.
func (r *Running) Write(ops []op.Op) error {
	for i := range ops {
		if err := r.finder.add(&ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// Windows returns the windows so far.
func (r *Running) Windows() *Windows { return r.finder.windows() }

// Take returns what Analyze would make of the recording, or nil if only that knows. Nothing may be called after it.
func (r *Running) Take() *Snapshot {
	_, s := r.finder.finish()
	return s
}
