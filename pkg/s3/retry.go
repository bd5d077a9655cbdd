package s3

import (
	"context"
	"errors"
	"net/http"
	"time"

	"warp/internal/clock"
)

// retry decides whether a request that failed is to be sent again, try counting from 0. If so it has waited a while, and
// counted it.
func retry(ctx context.Context, cfg *Config, c *Call, err error, try int) bool {
	if try >= cfg.Retries || c.Bytes > 0 || !worthRetrying(err) || !clock.Pause(ctx, retryWait(try)) {
		return false
	}
	c.Retries++
	return true
}

// worthRetrying tells whether the same request may fare better a moment later.
func worthRetrying(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case 0:
		return e.Class != classCanceled && e.Class != classBadRequest
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status/100 == 5 && e.Status != http.StatusNotImplemented
}

// retryWait is how long to wait before a request is sent again: 50 ms, doubled each time up to 1 s.
func retryWait(try int) time.Duration { return min(time.Second, 50*time.Millisecond<<min(try, 5)) }
