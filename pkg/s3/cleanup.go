package s3

import (
	"context"
	"errors"
	"net/http"
)

// maxBatch is how many objects S3 deletes in one request.
const maxBatch = 1000

// DeleteObjects deletes objects for clean-up: by batches, or one by one where the server has no multi-delete. Objects
// that are not there are not a fault. It gives those that may still be there.
func DeleteObjects(ctx context.Context, s Session, ids []ObjectID) (failed []ObjectErr) {
	var c Call
	many := true
	for len(ids) > 0 {
		batch := ids[:min(len(ids), maxBatch)]
		ids = ids[len(batch):]
		if many {
			c.Reset()
			c.Objects = batch
			err := s.DeleteMany(ctx, &c)
			if err == nil {
				continue
			}
			if len(c.Failed) > 0 {
				failed = appendFailed(failed, c.Failed...)
				continue
			}
			if !lacksMultiDelete(err) {
				for _, id := range batch {
					failed = append(failed, ObjectErr{id, err})
				}
				continue
			}
			many = false
		}
		for _, id := range batch {
			c = Call{Size: -1, Key: id.Key, Version: id.Version}
			if err := s.Delete(ctx, &c); err != nil {
				failed = appendFailed(failed, ObjectErr{id, err})
			}
		}
	}
	return failed
}

// appendFailed leaves out objects that failed only because they are not there.
func appendFailed(failed []ObjectErr, more ...ObjectErr) []ObjectErr {
	for _, f := range more {
		var e *Error
		if errors.As(f.Err, &e) && (e.Code == "NoSuchKey" || e.Code == "NoSuchVersion" || e.Status == http.StatusNotFound && e.Code == "") {
			continue
		}
		failed = append(failed, f)
	}
	return failed
}

// lacksMultiDelete tells whether an error may mean that the server does not know the request, which servers say in
// many ways.
func lacksMultiDelete(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return e.Class == classBadAnswer
}
