package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// clean removes what the run made, and nothing else: its objects (all their versions), its unfinished uploads, and the
// bucket if the run made it and it is empty now.
func (r *run) clean(ctx context.Context) error {
	c := &cleaner{run: r, set: r.set}
	if s, ok := r.env.Group.(Survivor); ok && r.plan.SharedData {
		c.orphans = s.Orphans()
	}
	if r.plan.KeepData || (r.set.next.Load() == 0 && !r.made && len(c.orphans) == 0) {
		return nil
	}
	c.objects(ctx)
	c.uploads(ctx)
	if r.made && c.failed.Load() == 0 {
		if _, err := r.env.Group.Meet(ctx, StageRemove, nil); err != nil {
			return errors.Join(c.verdict(), err)
		}
		if err := r.store.Bucket().Remove(ctx); err != nil {
			r.env.Observer.Notice(fmt.Sprintf("Bucket %q stays: %v", r.store.Bucket().Name(), err))
		}
	}
	return c.verdict()
}

// cleaner counts what clean-up does.
type cleaner struct {
	run     *run
	set     *DataSet
	orphans []uint64 // indices of clients whose part is to be removed as well
	done    atomic.Uint64
	failed  atomic.Uint64

	mu    sync.Mutex
	first []error
}

// maxCleanErrors is how many errors of the clean-up are told one by one.
const maxCleanErrors = 3

func (c *cleaner) fail(n int, err error) {
	c.failed.Add(uint64(n))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.first) < maxCleanErrors {
		c.first = append(c.first, err)
	}
}

// verdict says what could not be removed.
func (c *cleaner) verdict() error {
	n := c.failed.Load()
	if n == 0 {
		return nil
	}
	return fmt.Errorf("clean-up: %d objects or uploads below %q in bucket %q could not be removed: %w",
		n, c.set.keys.Root(), c.run.store.Bucket().Name(), errors.Join(c.first...))
}

// objects deletes the run's objects, concurrently. How many others uploaded is not known, nor are versions, so these must be
// looked for.
func (c *cleaner) objects(ctx context.Context) {
	total := c.set.next.Load()
	if total == 0 && len(c.orphans) == 0 {
		return
	}
	r := c.run
	r.env.Observer.Stage(Stage{Name: StageCleanup, Workload: r.plan.Phases[0].Workload, Total: total, Start: op.Now(), Done: c.done.Load})
	turns, do := (total+maxBatch-1)/maxBatch, c.batch
	if c.set.versioned.Load() || len(c.orphans) > 0 {
		turns, do = uint64(c.set.keys.Dirs()), c.listed
	}
	_, err := load.Run(ctx, load.Options{Concurrency: r.threads, Turns: turns}, func(ctx context.Context, t load.Turn) error {
		do(ctx, r.workers[t.Worker], t.N, total)
		return nil
	})
	if err != nil {
		c.fail(1, err)
	}
}

// batch deletes the objects of batch n.
func (c *cleaner) batch(ctx context.Context, w *Worker, n, total uint64) {
	from, to := n*maxBatch, min((n+1)*maxBatch, total)
	var ids []s3.ObjectID
	for n := from; n < to; n++ {
		if i := c.set.own(n); !c.set.gone.has(i) {
			ids = append(ids, s3.ObjectID{Key: c.set.keys.Key(i)})
		}
	}
	c.delete(ctx, w, ids)
	c.done.Add(to - from)
}

// listed deletes the run's objects that are found in directory n, with all their versions and delete markers.
func (c *cleaner) listed(ctx context.Context, w *Worker, n, _ uint64) {
	ids, err := c.find(ctx, w, int(n))
	for try := 1; err != nil && try < listTries && op.Pause(ctx, time.Duration(try)*listPause); try++ {
		ids, err = c.find(ctx, w, int(n))
	}
	if err != nil {
		c.fail(1, fmt.Errorf("list what is to be deleted: %w", err))
	}
	for len(ids) > 0 {
		k := min(len(ids), maxBatch)
		c.delete(ctx, w, ids[:k])
		c.done.Add(uint64(k))
		ids = ids[k:]
	}
}

// A listing for the clean-up is tried again: nothing is measured any more, and what it does not find stays in the bucket. There
// are servers that fail to list versions which another client deletes meanwhile.
const (
	listTries = 4
	listPause = 100 * time.Millisecond // longer before each further try
)

// find lists the run's objects in a directory.
func (c *cleaner) find(ctx context.Context, w *Worker, dir int) (ids []s3.ObjectID, err error) {
	err = pages(ctx, w.S3, s3.Call{Prefix: c.set.keys.Dir(dir), All: c.set.versioned.Load()}, func(e s3.Entry) bool {
		if i, ours := c.set.keys.Index(e.Key); ours && c.removes(i) {
			ids = append(ids, s3.ObjectID{Key: e.Key, Version: e.Version})
		}
		return true
	})
	return ids, err
}

// removes tells whether object i is this client's to remove. Others remove theirs at the same time, and a version cannot be
// deleted twice.
func (c *cleaner) removes(i uint64) bool {
	return c.set.owns(i) || slices.Contains(c.orphans, i%c.set.part.Total)
}

func (c *cleaner) delete(ctx context.Context, w *Worker, ids []s3.ObjectID) {
	for _, f := range s3.DeleteObjects(ctx, w.S3, ids) {
		c.fail(1, fmt.Errorf("delete %q: %w", f.Key, f.Err))
	}
}

// uploads aborts the run's unfinished multipart uploads. A server that does not know them has none.
func (c *cleaner) uploads(ctx context.Context) {
	b := c.run.store.Bucket()
	err := b.Uploads(ctx, c.set.keys.Root(), func(u s3.Upload) error {
		if _, ours := c.set.keys.Index(u.Key); !ours {
			return nil
		}
		if err := b.Abort(ctx, u); err != nil {
			c.fail(1, fmt.Errorf("abort upload of %q: %w", u.Key, err))
		}
		return nil
	})
	var e *s3.Error
	if err != nil && !(errors.As(err, &e) && e.Status != 0) {
		c.fail(1, fmt.Errorf("list unfinished uploads: %w", err))
	}
}
