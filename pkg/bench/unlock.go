package bench

import (
	"context"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// unlocking is a session of the clean-up for versions that the run may have locked.
type unlocking struct{ s3.Session }

// unlock returns a session that deletes what the run locked in governance mode; see deleteObjects for legal holds.
func unlock(s s3.Session) s3.Session { return unlocking{ops.BypassGovernance(s)} }

// deleteObjects deletes objects or versions by a function. If some fail, and the session is an unlocking one, it removes their legal holds
// and tries again.
func deleteObjects(
	ctx context.Context, sess s3.Session, ids []ops.ObjectID, del func(context.Context, s3.Session, []ops.ObjectID) []ops.ObjectErr,
) []ops.ObjectErr {
	failed := del(ctx, sess, ids)
	if _, ok := sess.(unlocking); !ok {
		return failed
	}
	var again []ops.ObjectID
	var left []ops.ObjectErr
	var doc ops.Document
	for _, f := range failed {
		if s3.Temporary(f.Err) {
			left = append(left, f)
			continue
		}
		// It fails for delete markers, and without a hold: only the deletion counts.
		_ = work.RetryTemporary(ctx, func() error {
			return ops.PutLegalHold(ctx, sess, &s3.Call{Key: f.Key, Version: f.Version}, &doc, false)
		})
		again = append(again, f.ObjectID)
	}
	return append(left, del(ctx, sess, again)...)
}
