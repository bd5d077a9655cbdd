package script

import (
	"reflect"
	"strconv"
	"time"

	"warp/pkg/bench/work"
)

// defaultBackoff is the pause before the first retry of an operation.
const defaultBackoff = 100 * time.Millisecond

// retryOf returns when an operation is attempted again; nil: it is not.
func retryOf(e evaluator, do *Do, path string) *work.Retry {
	given, path := &do.Retry, path+".retry"
	if reflect.ValueOf(*given).IsZero() {
		return nil
	}
	if !work.Repeatable(do.Op) {
		e.add(given.Pos, path, "an operation of %s cannot be attempted again", do.Op)
	}
	out := &work.Retry{Backoff: defaultBackoff}
	n, ok := e.count(given.Max, path+".max")
	switch {
	case given.Max.IsZero():
		e.add(given.Pos, path, "missing max (want {on: [412, 409], max: 5, backoff: 100ms}, or a number of retries)")
	case ok && (n < 1 || n > work.MaxRetries):
		e.add(given.Max.Pos, path+".max", "invalid value %d (want 1 to %d retries)", n, work.MaxRetries)
	}
	out.Max = int(n)
	for i, v := range given.On {
		at := indexed(path+".on", i)
		text, ok := e.text(v, at)
		status, err := strconv.Atoi(text)
		if ok && (err != nil || status < 300 || status > 599) {
			e.add(v.Pos, at, "invalid value %q (want HTTP statuses from 300 to 599, as in [412, 409])", text)
		}
		out.On = append(out.On, status)
	}
	if text, ok := e.text(given.Backoff, path+".backoff"); ok {
		var err error
		if out.Backoff, err = time.ParseDuration(text); err != nil || out.Backoff < 0 || out.Backoff > time.Hour {
			e.add(given.Backoff.Pos, path+".backoff", "invalid value %q (want a duration up to 1h, as in 100ms)", text)
		}
	}
	return out
}
