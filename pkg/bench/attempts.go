package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Retry says when operations of a task are performed again. Each attempt is recorded as an operation; all of them together are recorded as
// one more, which consists of these. See op.Kind.Attempts.
type Retry struct {
	On      []int         `json:"on,omitempty"` // statuses after which there is another attempt; nil: RetryStatuses
	Max     int           `json:"max"`          // attempts after the first
	Backoff time.Duration `json:"backoff_ns"`   // pause before the second attempt, doubled for each further one, up to 20 times as long
}

// RetryStatuses are those after which an operation is attempted again unless its plan says otherwise: of conflicts, and of servers that cannot
// respond now.
var RetryStatuses = []int{
	http.StatusConflict, http.StatusPreconditionFailed, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// Limits of retries.
const (
	MaxRetries = 100
	maxBackoff = time.Hour
)

// Statuses returns those after which there is another attempt.
func (r *Retry) Statuses() []int {
	if len(r.On) == 0 {
		return RetryStatuses
	}
	return r.On
}

// pause returns the pause before attempt n, from 1 for the second.
func (r *Retry) pause(n int) time.Duration {
	return time.Duration(min(20, 1<<min(n-1, 5))) * r.Backoff
}

// Repeatable reports whether operations of a workload can be attempted again.
func Repeatable(name string) bool {
	info, ok := Lookup(name)
	if !ok {
		return false
	}
	w := info.Default()
	t := w.Traits()
	return repeatable(w, &t)
}

func repeatable(w Workload, t *Traits) bool {
	_, mix := w.(Mixer)
	return !mix && (t.Picks || t.Fills || t.Joins)
}

// checkRetry returns an error for each part of a task's retries that is invalid.
func checkRetry(t *task) (errs []error) {
	r := t.Retry
	switch {
	case r == nil:
		return nil
	case !repeatable(t.workload, &t.traits):
		errs = append(errs, option.Errorf("retry", "an operation of %s cannot be attempted again", t.Workload))
	}
	for _, status := range r.On {
		if status < 300 || status > 599 {
			errs = append(errs, option.Invalid("on", status, "HTTP statuses from 300 to 599"))
		}
	}
	if r.Max < 1 || r.Max > MaxRetries {
		errs = append(errs, option.Invalid("max", r.Max, fmt.Sprintf("1 to %d retries", MaxRetries)))
	}
	if r.Backoff < 0 || r.Backoff > maxBackoff {
		errs = append(errs, option.Invalid("backoff", r.Backoff, "0 to 1h"))
	}
	return errs
}

// attempts performs an operation until it succeeds, fails in a way that its retries are not for, or has failed as often as these allow.
func attempts(ctx context.Context, w *Worker, kind op.Kind, do func(*op.Op) error) error {
	defer func() { w.again = false }()
	var first op.Op
	before, failed := w.performed, w.failed
	for n := 0; ; n++ {
		w.again = n > 0
		err := w.once(ctx, kind, do)
		if errors.Is(err, load.ErrDone) || isFault(err) || w.performed == before {
			return err // there was no operation
		}
		if n == 0 {
			first = w.rec
		}
		if err == nil || n >= w.retry.Max || s3.Outcome(err, w.retry.Statuses()) == 0 || !w.Pause(ctx, w.retry.pause(n+1)) {
			if w.failed = failed; err != nil { // the operation is all attempts together
				w.failed++
			}
			recordAttempts(w, kind, n, &first, err)
			return err
		}
	}
}

// recordAttempts records all attempts of an operation as one; the record of the last one is that of the worker.
func recordAttempts(w *Worker, kind op.Kind, retries int, first *op.Op, err error) {
	rec := w.rec
	rec.Due, rec.Start, rec.OwnLate, rec.Retries = first.Due, first.Start, first.OwnLate, retries
	rec.Resent = 0                   // the attempts have it
	if err != nil && rec.Err == "" { // an outcome that none of them got beyond
		rec.Err = err.Error()
	}
	rec.Kind = w.labels.kind(kind.Attempts())
	w.records.Add(&rec)
}
