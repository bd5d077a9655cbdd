package bench

import (
	"context"
	"errors"
)

// ErrStoreGone is returned by Run if the store ended before the run did (Env.Gone). What was measured until then is reported.
var ErrStoreGone = errors.New("the store ended before the run did")

// gone reports whether the store has ended.
func (e *Env) gone() bool {
	select {
	case <-e.Gone: // nil: never
		return true
	default:
		return false
	}
}

// untilGone gives a context that also ends when the store does.
func (e *Env) untilGone(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if e.Gone != nil {
		go func() {
			defer cancel()
			select {
			case <-e.Gone:
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
