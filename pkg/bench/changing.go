package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// joins reports whether the task can work on a data set that changes meanwhile.
func (s *task) joins() bool {
	t := &s.traits
	return !t.Existing && t.names() == 0 && (t.Joins || t.Picks || t.Fills || t.Takes > 0)
}

// bounds returns the first and the last but one number of the objects to choose from, if those below end may exist.
func (a *Access) bounds(end uint64) (low, high uint64) {
	if a.last == 0 {
		return 0, end
	}
	return a.first - 1, min(a.last, end)
}

// spread returns a place for a turn among n.
func (a *Access) spread(turn, n uint64) uint64 {
	if a.steady {
		return a.Index(turn)
	}
	return a.draw(turn, n)
}

// inOrder reports whether objects are used from the oldest on.
func (a *Access) inOrder() bool { return a.choice.InOrder() }

// NotDeleted records that objects which were taken were not deleted. Those that certainly remain are put back. Others are not
// read any more, since the run would cause a 404 itself: a later turn takes them again, and then a 404 is no error.
func NotDeleted(w *Worker, err error, objects ...uint64) {
	if w.Set.live == nil {
		return
	}
	status := statusOf(err)
	for _, i := range objects {
		switch {
		case s3.NotThere(err) || status == http.StatusNotFound:
			w.Set.Gone(i)
		case !w.hold.again && (!w.Call.Begun || refuses(status) || said(err)):
			w.Set.live.restore(i)
		default:
			w.Set.live.doubt(i)
		}
	}
}

// statusOf returns the status of a response that is an error; 0: there was none.
func statusOf(err error) int {
	var e *s3.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// said reports whether a multi-delete says of an object that it was not deleted, and that this is for good.
func said(err error) bool {
	e := s3.AsError(err)
	return e.Status == 0 && e.Code != "" && !s3.Temporary(err)
}

// refuses reports whether a response with this status says that the request was not performed. A server, or a proxy before
// it, may send others after it was.
func refuses(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// changingWarnings returns what a user should know about the data sets that changed.
func changingWarnings(s *streamRun) (list []string) {
	// Of shared data, the first deletions come before there is anything to delete; in a run of any length they are too few to report.
	shared := s.tasks[0].workers[0].Set.Shared()
	switch n := s.replaced.Load(); {
	case n == 0, shared && n <= s.done.Load()/100:
	case shared:
		list = append(list, fmt.Sprintf("%d turns uploaded an object instead of deleting one: of shared data, a client deletes only what it uploaded itself; use a longer --duration, or a lower share of deletions", n))
	default:
		list = append(list, fmt.Sprintf("%d turns found no object in their data set; they uploaded one instead", n))
	}
	if n := s.skipped.Load(); n > 0 {
		list = append(list, fmt.Sprintf("%d operations that follow others found no object in their data set, and were left out", n))
	}
	// What deletes alone is to end when nothing is left.
	if s.empty.Load() && slices.ContainsFunc(s.tasks[:s.own], func(t *taskRun) bool { return t.traits.Takes == 0 || t.traits.Needs != nil }) {
		list = append(list, "ended early: no object was left in the data set")
	}
	return list
}

// Delete deletes object i of the data set.
func (w *Worker) Delete(ctx context.Context, i uint64) error {
	return w.Op(ctx, op.Delete, func(rec *op.Op) error {
		rec.Objects = 0
		err := s3.Delete(ctx, w.S3, w.Object(w.Set.At(i), rec))
		if err == nil || w.hold.again && statusOf(err) == http.StatusNotFound {
			rec.Objects = 1
			w.Set.Gone(i)
			return nil
		}
		NotDeleted(w, err, i)
		return err
	})
}
