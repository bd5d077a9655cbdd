package s3

import (
	"context"
	"net/http"
	"slices"
)

// DeleteObjects deletes objects for clean-up: by batches, or one by one where the server has no multi-delete. Objects
// that are not there are not a fault, nor is a bucket that is not there. It gives those that may still be there; see
// Temporary for which of them may be tried again.
func DeleteObjects(ctx context.Context, s Session, ids []ObjectID) (failed []ObjectErr) {
	var c Call
	many := true
	if odd := func(o ObjectID) bool { return !o.Batchable() }; slices.ContainsFunc(ids, odd) {
		failed = deleteEach(ctx, s, slices.DeleteFunc(slices.Clone(ids), ObjectID.Batchable), failed)
		ids = slices.DeleteFunc(slices.Clone(ids), odd)
	}
	for len(ids) > 0 {
		batch := ids[:min(len(ids), MaxEntries)]
		ids = ids[len(batch):]
		if !many {
			failed = deleteEach(ctx, s, batch, failed)
			continue
		}
		c.Reset()
		c.Objects = batch
		err := s.DeleteMany(ctx, &c)
		switch {
		case err == nil:
		case len(c.Failed) > 0:
			failed = appendFailed(failed, c.Failed...)
		case lacksMultiDelete(err):
			many = false
			failed = deleteEach(ctx, s, batch, failed)
		default:
			failed = appendAll(failed, batch, err)
		}
	}
	return failed
}

// deleteEach deletes objects one by one. When there is no server any more it does not go on asking.
func deleteEach(ctx context.Context, s Session, ids []ObjectID, failed []ObjectErr) []ObjectErr {
	for i, id := range ids {
		c := Call{Size: -1, Key: id.Key, Version: id.Version}
		err := s.Delete(ctx, &c)
		if e := asError(err); e != nil && (e.Status == 0 || e.Code == codeNoBucket) {
			return appendAll(failed, ids[i:], err)
		}
		if err != nil {
			failed = appendFailed(failed, ObjectErr{id, err})
		}
	}
	return failed
}

// codeNoBucket is what S3 calls the error that the bucket does not exist.
const codeNoBucket = "NoSuchBucket"

// NotThere reports whether a request failed only because the object, version, upload or bucket does not exist.
func NotThere(err error) bool {
	e := asError(err)
	if e == nil {
		return false
	}
	switch e.Code {
	case "NoSuchKey", "NoSuchVersion", "NoSuchUpload", codeNoBucket:
		return true
	}
	return e.Status == http.StatusNotFound && e.Code == ""
}

// NoBucket reports whether a request failed only because the bucket does not exist.
func NoBucket(err error) bool {
	e := asError(err)
	return e != nil && (e.Code == codeNoBucket || e.Status == http.StatusNotFound && e.Code == "")
}

// appendAll notes the same error for all of them.
func appendAll(failed []ObjectErr, ids []ObjectID, err error) []ObjectErr {
	for _, id := range ids {
		failed = appendFailed(failed, ObjectErr{id, err})
	}
	return failed
}

// appendFailed leaves out objects that failed only because they are not there.
func appendFailed(failed []ObjectErr, more ...ObjectErr) []ObjectErr {
	for _, f := range more {
		if !NotThere(f.Err) {
			failed = append(failed, f)
		}
	}
	return failed
}

// Unsupported reports whether an error may mean that the server does not know the request, which servers say in many ways.
func Unsupported(err error) bool {
	e := asError(err)
	if e == nil {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return e.Class == classBadAnswer
}

func lacksMultiDelete(err error) bool {
	e := asError(err)
	return Unsupported(err) && e.Code != codeNoBucket && !Temporary(err)
}

// Temporary reports whether a request that failed may succeed when it is sent again later. Unlike a retry (Config.Retries)
// it looks at what the server said first, which may stand in an answer of status 200.
func Temporary(err error) bool {
	e := asError(err)
	if e == nil {
		return false
	}
	switch e.Code {
	case "InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted":
		return true
	case "":
		if e.Status/100 == 2 { // it was cut off, unless it is nothing that can be read
			return e.Class != classBadAnswer
		}
	default:
		if e.Status/100 != 5 && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout {
			return false
		}
	}
	return worthRetrying(err)
}
