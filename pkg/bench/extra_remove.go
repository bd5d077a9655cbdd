package bench

import (
	"context"
	"fmt"
	"sync"

	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// removeExtraBuckets deletes buckets, and returns their number. With show, it calls show for each instead.
func removeExtraBuckets(ctx context.Context, sessions []s3.Session, names []string, show func(Leftover)) (removed uint64, err error) {
	var mu sync.Mutex
	var failed []error
	o := load.Options{Concurrency: len(sessions), Turns: uint64(len(names)), Abort: ctx.Done()}
	_, err = load.Run(ctx, o, func(ctx context.Context, t load.Turn) error {
		send, name := ops.RemoveBucket, names[t.N]
		if show != nil {
			send = ops.HeadBucket
		}
		err := work.RetryWhile(ctx, cleanTries, s3.Temporary, func() (bool, error) {
			return false, send(ctx, sessions[t.Worker], &s3.Call{Other: name, Size: -1})
		})
		mu.Lock()
		defer mu.Unlock()
		switch {
		case s3.NoBucket(err):
		case err != nil:
			failed = append(failed, fmt.Errorf("bucket %q: %w", name, err))
		case show != nil:
			show(Leftover{Kind: leftBucket, Key: name})
			removed++
		default:
			removed++
		}
		return nil
	})
	if len(failed) > 0 {
		err = &CleanupError{fmt.Errorf("%d extra buckets could not be removed; the first: %w", len(failed), failed[0])}
	}
	return removed, err
}
