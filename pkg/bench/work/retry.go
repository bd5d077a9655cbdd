package work

import (
	"fmt"
	"net/http"
	"time"

	"warp/internal/option"
)

// Retry says when a task attempts operations again. Each attempt is recorded as an operation, and all together as one more; see
// op.Kind.Attempts.
type Retry struct {
	On      []int         `json:"on,omitempty"` // statuses to retry; nil: retryStatuses
	Max     int           `json:"max"`          // attempts after the first
	Backoff time.Duration `json:"backoff_ns"`   // pause before the second attempt, doubled for each further one, up to 20 times as long
}

// retryStatuses are the statuses to retry by default: conflicts, and servers that are temporarily unable to respond.
var retryStatuses = []int{
	http.StatusConflict, http.StatusPreconditionFailed, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// Limits of retries.
const (
	MaxRetries = 100
	maxBackoff = time.Hour
)

// Statuses returns the statuses to retry.
func (r *Retry) Statuses() []int {
	if len(r.On) == 0 {
		return retryStatuses
	}
	return r.On
}

// pause returns the pause before attempt n, from 1 for the second.
func (r *Retry) pause(n int) time.Duration {
	return time.Duration(min(20, 1<<min(n-1, 5))) * r.Backoff
}

// Check returns an error for each invalid value, and for a workload with operations that cannot be repeated.
func (r *Retry) Check(name string, w Workload, t *Traits) (errs []error) {
	switch {
	case r == nil:
		return nil
	case !repeatable(w, t):
		errs = append(errs, option.Errorf("retry", "an operation of %s cannot be attempted again", name))
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
