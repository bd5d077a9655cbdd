package doctor

import (
	"context"
	"slices"

	"warp/pkg/s3"
)

// removeHeld deletes a version on which there may be a legal hold.
func removeHeld(ctx context.Context, s s3.Session, id s3.ObjectID) error {
	// It may fail, as the version need not be held: what counts is the deletion.
	_ = s3.PutLegalHold(ctx, s, &s3.Call{Key: id.Key, Version: id.Version}, &s3.Document{}, false)
	return s3.Delete(ctx, s, &s3.Call{Key: id.Key, Version: id.Version, Size: -1})
}

// deleteAll deletes objects, in spite of locks that a check has placed.
func deleteAll(ctx context.Context, s s3.Session, ids []s3.ObjectID, locks bool) (failed []s3.ObjectErr) {
	if !locks {
		return s3.DeleteObjects(ctx, s, ids)
	}
	s = s3.BypassGovernance(s)
	return slices.DeleteFunc(s3.DeleteObjects(ctx, s, ids), func(f s3.ObjectErr) bool {
		return f.Version != "" && removeHeld(ctx, s, f.ObjectID) == nil
	})
}
