package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/pkg/aggregate/live"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Run is a plan being performed on one client. Prepare returns it, then Measure and Cleanup are called, once each in this order.
type Run struct {
	plan  *Compiled
	env   Env
	share load.Share
	data
	slots []slot
	recorder
	buckets []*claims          // in each bucket
	rates   map[string]float64 // turns per second that this client achieved in streams, by name
	warmups warmups
	result  Result
}

// data are the objects of a run.
type data struct {
	sets     []*dataset.DataSet // of the plan
	views    []*dataset.DataSet // of each task, with its access
	capacity dataset.Capacity
}

// recorder takes the records of operations.
type recorder struct {
	collector *op.Collector
	live      *live.State
	counts    *trialCounts
}

// slot is a session and a buffer of records, for one worker at a time.
type slot struct {
	number  uint32 // thread in records
	session s3.Session
	records *op.WorkerBuf
}

// orphans returns the indices of lost clients; this client removes their parts of shared data.
func (r *Run) orphans() []uint64 {
	if s, ok := r.env.Group.(Survivor); ok && r.plan.SharedData {
		return s.Orphans()
	}
	return nil
}

// watched returns a context that is cancelled when the store ends, and reports its slow requests to the observer.
func (r *Run) watched(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, slow := preflight.WithSlow(ctx, func(host, action string, taken time.Duration) {
		r.env.Observer.Notice(fmt.Sprintf("Waiting for %s for %v: trying to %s.", host, taken, action))
	})
	ctx, cancel := context.WithCancel(ctx)
	if r.env.Gone != nil {
		go func() {
			defer cancel()
			select {
			case <-r.env.Gone:
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(); slow() }
}

// storeEnded reports whether the store has ended.
func (r *Run) storeEnded() bool {
	select {
	case <-r.env.Gone: // nil: never
		return true
	default:
		return false
	}
}

// storeGone joins ErrStoreGone to an error if the store has ended.
func (r *Run) storeGone(err error) error {
	if r.storeEnded() {
		return errors.Join(ErrStoreGone, err)
	}
	return err
}

func (r *Run) warn(format string, args ...any) {
	r.result.Warnings = append(r.result.Warnings, fmt.Sprintf(format, args...))
}

// warnNow adds a warning, and shows it at once.
func (r *Run) warnNow(format string, args ...any) {
	r.warn(format, args...)
	r.env.Observer.Notice("Warning: " + r.result.Warnings[len(r.result.Warnings)-1])
}

// workerOptions returns the common options of workers on a data set in a phase of the run.
func (r *Run) workerOptions(set *dataset.DataSet, stream string) work.Options {
	return work.Options{
		Client:  r.env.Client,
		Stream:  stream,
		Set:     set,
		Bucket:  r.plan.Target.Bucket,
		Buckets: r.plan.Target.BucketNames(),

		PartSize: r.plan.Target.Uploads.PartSize,
	}
}

// workers returns workers that are limited to traits. Each thread has some of the slots, one for each lane.
func (r *Run) workers(threads int, slots []slot, perThread int, t *work.Traits, o work.Options) (all []*work.Worker) {
	o.Kinds = t.Recorded()
	for id := range threads {
		var lanes []work.Lane
		for _, s := range slots[id*perThread:][:t.LaneCount()] {
			lanes = append(lanes, work.Lane{Thread: s.number, Session: guard(s.session, t.Effect), Records: s.records})
		}
		all = append(all, work.New(id, &o, lanes...))
	}
	return all
}

// unmeasured returns a session for unmeasured requests.
func (r *Run) unmeasured(slot int) s3.Session {
	return r.unmeasuredIn(r.slots[slot])
}

// unmeasuredIn is unmeasured for a slot.
func (r *Run) unmeasuredIn(s slot) s3.Session {
	return preflight.WithDiagnosis(s.session, r.plan.Target)
}
