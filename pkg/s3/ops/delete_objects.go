package ops

import (
	"cmp"
	"context"
	"slices"

	"warp/pkg/s3"
)

// DeleteObjects deletes objects for clean-up: by batches, or one by one where the server has no multi-delete. Objects
// that are not there are not a fault, nor is a bucket that is not there. It gives those that may still be there; see
// Temporary for which of them may be tried again.
func DeleteObjects(ctx context.Context, s s3.Session, ids []ObjectID) (failed []ObjectErr) {
	var c s3.Call
	var d Deletion
	many := true
	if odd := func(o ObjectID) bool { return !o.Batchable() }; slices.ContainsFunc(ids, odd) {
		failed = deleteEach(ctx, s, slices.DeleteFunc(slices.Clone(ids), ObjectID.Batchable), failed)
		ids = slices.DeleteFunc(slices.Clone(ids), odd)
	}
	for len(ids) > 0 {
		batch := ids[:min(len(ids), s.Dialect().Limits().Deletions)]
		ids = ids[len(batch):]
		if !many {
			failed = deleteEach(ctx, s, batch, failed)
			continue
		}
		d.Objects = batch
		err := DeleteMany(ctx, s, &c, &d)
		switch {
		case err == nil:
		case len(d.Failed) > 0:
			failed = append(failed, d.failedOf(batch)...)
		case lacksMultiDelete(err):
			many = false
			failed = deleteEach(ctx, s, batch, failed)
		default:
			failed = appendAll(failed, batch, err)
		}
	}
	return slices.DeleteFunc(failed, func(f ObjectErr) bool { return s3.IsNotFound(f.Err) })
}

// failedOf returns the objects of a batch that were not deleted. An error that names no version is about all versions of its key.
func (d *Deletion) failedOf(batch []ObjectID) (failed []ObjectErr) {
	of := make([]error, len(batch))
	unnamed := map[string]error{}
	for i, f := range d.Failed {
		at := d.Places[i]
		of[at] = f.Err
		if f.Version == "" && batch[at].Version != "" {
			unnamed[batch[at].Key] = f.Err
		}
	}
	for at, id := range batch {
		if err := cmp.Or(of[at], unnamed[id.Key]); err != nil {
			failed = append(failed, ObjectErr{id, err})
		}
	}
	return failed
}

// DeleteEach is DeleteObjects, but with a request for each object.
func DeleteEach(ctx context.Context, s s3.Session, ids []ObjectID) []ObjectErr {
	return slices.DeleteFunc(deleteEach(ctx, s, ids, nil), func(f ObjectErr) bool { return s3.IsNotFound(f.Err) })
}

// deleteEach deletes objects one by one. When there is no server any more it does not go on asking.
func deleteEach(ctx context.Context, s s3.Session, ids []ObjectID, failed []ObjectErr) []ObjectErr {
	for i, id := range ids {
		c := s3.Call{Size: -1, Key: id.Key, Version: id.Version}
		err := Delete(ctx, s, &c)
		if err == nil {
			continue
		}
		if e := s3.AsError(err); e.Status == 0 || e.Says(s3.NoContainer) {
			return appendAll(failed, ids[i:], err)
		}
		failed = append(failed, ObjectErr{id, err})
	}
	return failed
}

// appendAll notes the same error for all of them.
func appendAll(failed []ObjectErr, ids []ObjectID, err error) []ObjectErr {
	for _, id := range ids {
		failed = append(failed, ObjectErr{id, err})
	}
	return failed
}

func lacksMultiDelete(err error) bool {
	return s3.Unsupported(err) && !s3.AsError(err).Says(s3.NoContainer) && !s3.Temporary(err)
}
