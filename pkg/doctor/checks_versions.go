package doctor

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// lockedFor is for how long an object is locked that the check deletes at once.
const lockedFor = 10 * time.Minute

// putVersion puts an object, and returns the id of the version that it makes.
func putVersion(t *trial, key string, body []byte) (string, error) {
	c := &s3.Call{Key: t.prefix + key, Body: bytes.NewReader(body), Size: int64(len(body))}
	t.host.add(c.Key)
	err := s3.Put(t.ctx, t.host.session, c)
	return c.VersionID, err
}

// tryVersions puts two versions of an object, reads the first by its id, and deletes it.
func tryVersions(t *trial) verdict {
	t, v := withFeature(t, t.bucket.Versioning == "Enabled", "keeps no versions; use a --bucket that does")
	if t == nil {
		return v
	}
	first, err := putVersion(t, "version", content)
	if err != nil {
		return judge(err)
	}
	second, err := putVersion(t, "version", content[1:])
	if err != nil {
		return judge(err)
	}
	if first == "" || first == second {
		return ignored(http.StatusOK, "uploads make no version ids")
	}
	named := query("versionId", first)
	r, err := t.send(request{method: http.MethodGet, key: "version", query: named})
	switch {
	case err != nil:
		return judge(err)
	case !bytes.Equal(r.text, content):
		return ignored(r.Status, "the id of the version is ignored")
	}
	r, err = t.send(request{method: http.MethodDelete, key: "version", query: named})
	if err != nil {
		return judge(err)
	}
	if _, err = t.send(request{method: http.MethodGet, key: "version", query: named}); err == nil {
		return ignored(r.Status, "the version is still there")
	}
	return yes("")
}

// withFeature returns the trial in a bucket that has a feature: the one that is examined, or if the check made that, a second one. It is nil if there is
// none, for the reason in the verdict.
func withFeature(t *trial, has bool, lacks string) (*trial, verdict) {
	switch {
	case has:
		return t, verdict{}
	case !t.made():
		return nil, verdict{result: Untried, detail: "the bucket " + lacks + ", or one that does not exist yet"}
	}
	second, err := t.second()
	if err != nil {
		return nil, verdict{result: Untried, detail: "no bucket with versions can be made: " + err.Error()}
	}
	return second, verdict{}
}

// made reports whether the check made the bucket, through this host or the first one.
func (t *trial) made() bool { return t.host.made || t.first != nil && t.first.host.made }

// locked is a check of a lock, which put places on a version, and get reads; the version must stay until remove has removed the lock.
func locked(key string, put, get func(ctx context.Context, s s3.Session, c *s3.Call) error, remove func(ctx context.Context, s s3.Session, id s3.ObjectID) error) func(t *trial) verdict {
	return func(t *trial) verdict {
		t, v := withFeature(t, t.bucket.Lock == LockEnabled, "has no object lock; use a --bucket that has")
		if t == nil {
			return v
		}
		if t.bucket.Lock != LockEnabled {
			return verdict{result: Untried, detail: "the host makes no buckets with object lock"}
		}
		version, err := putVersion(t, key, content)
		if err != nil {
			return judge(err)
		}
		id := s3.ObjectID{Key: t.prefix + key, Version: version}
		call := func() *s3.Call { return &s3.Call{Key: id.Key, Version: id.Version} }
		if err := put(t.ctx, t.host.session, call()); err != nil {
			return judge(err)
		}
		v = judge(get(t.ctx, t.host.session, call()))
		c := call()
		if err := s3.Delete(t.ctx, t.host.session, c); err == nil && v.result == Yes {
			v = ignored(c.Status, "a locked version is deleted")
		}
		// What was locked must go, also when the check is interrupted.
		if err := remove(context.WithoutCancel(t.ctx), t.host.session, id); err != nil && !s3.NotThere(err) && v.result == Yes {
			v = judge(err)
		}
		return v
	}
}

var (
	tryRetention = locked("retention", func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return s3.PutRetention(ctx, s, c, &s3.Document{}, clock.Wall().Add(lockedFor))
	}, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		lock, err := s3.GetRetention(ctx, s, c, &s3.Document{})
		err = noLock(c, err)
		if left := lock.Until.Sub(clock.Wall()); err == nil && (left <= 0 || left > lockedFor+time.Second) {
			err = &s3.Error{Class: s3.ClassBadResponse, Status: c.Status, Message: fmt.Sprintf("a lock for %v was set, the response states %s", lockedFor, lock)}
		}
		return err
	}, func(ctx context.Context, s s3.Session, id s3.ObjectID) error {
		return s3.Delete(ctx, s3.BypassGovernance(s), &s3.Call{Key: id.Key, Version: id.Version, Size: -1})
	})
	tryLegalHold = locked("legal-hold", func(ctx context.Context, s s3.Session, c *s3.Call) error {
		return s3.PutLegalHold(ctx, s, c, &s3.Document{}, true)
	}, func(ctx context.Context, s s3.Session, c *s3.Call) error {
		on, err := s3.GetLegalHold(ctx, s, c, &s3.Document{})
		err = noLock(c, err)
		if err == nil && !on {
			err = &s3.Error{Class: s3.ClassBadResponse, Status: c.Status, Message: "a legal hold was set, the response states that there is none"}
		}
		return err
	}, func(ctx context.Context, s s3.Session, id s3.ObjectID) error {
		return removeHeld(ctx, s, id)
	})
)

// noLock puts words in place of what a server sent that is no document about a lock, such as the object.
func noLock(c *s3.Call, err error) error {
	if s3.AsError(err).Class != s3.ClassBadResponse {
		return err
	}
	return &s3.Error{Class: s3.ClassBadResponse, Status: c.Status, Message: "the response is no document about a lock"}
}

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
