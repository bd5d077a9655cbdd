package doctor

import (
	"context"
	"slices"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// removeHeld deletes a version on which there may be a legal hold.
func removeHeld(ctx context.Context, s s3.Session, id ops.ObjectID) error {
	// It may fail, as the version need not be held: what counts is the deletion.
	_ = ops.PutLegalHold(ctx, s, &s3.Call{Key: id.Key, Version: id.Version}, &ops.Document{}, false)
	return ops.Delete(ctx, s, &s3.Call{Key: id.Key, Version: id.Version, Size: -1})
}

// deleteAll deletes objects, in spite of locks that a check has placed.
func deleteAll(ctx context.Context, s s3.Session, ids []ops.ObjectID, locks bool) (failed []ops.ObjectErr) {
	if !locks {
		return ops.DeleteObjects(ctx, s, ids)
	}
	s = ops.BypassGovernance(s)
	return slices.DeleteFunc(ops.DeleteObjects(ctx, s, ids), func(f ops.ObjectErr) bool {
		return f.Version != "" && removeHeld(ctx, s, f.ObjectID) == nil
	})
}
