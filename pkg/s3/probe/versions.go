package probe

import (
	"context"
	"errors"
	"net/http"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// tag is the key of the tag that is set, and its value is 1.
const tag = "turn"

// putTags replaces the tags of the object. Some servers confirm them and keep none, and some make them the content of the object.
func putTags(ctx context.Context, o *Object) error {
	if err := ops.PutTag(ctx, o.S3, o.Call(), &ops.Document{}, tag, 1); err != nil {
		return err
	}
	tags, err := ops.ReadTags(ctx, o.S3, o.Call())
	if err != nil {
		return err
	}
	if tags[tag] != "1" {
		return o.ignored("the server confirms tags, but does not keep them")
	}
	return o.unchanged(ctx)
}

// getTags reads the tags of an object that has none.
func getTags(ctx context.Context, o *Object) (err error) {
	id, err := o.put(ctx, o.Key+".untagged", Text)
	if err != nil {
		return err
	}
	defer o.Remove(ctx, id, &err)
	_, err = ops.ReadTags(ctx, o.S3, o.callOn(ops.ObjectID{Key: id.Key}))
	return err
}

// deleteTags removes the tags of the object, which must stay; then it must have none.
func deleteTags(ctx context.Context, o *Object) error {
	if err := ops.DeleteTags(ctx, o.S3, o.Call()); err != nil {
		return err
	}
	if err := o.unchanged(ctx); err != nil {
		return err
	}
	tags, err := ops.ReadTags(ctx, o.S3, o.Call())
	switch e := s3.AsError(err); {
	case err == nil && len(tags) > 0:
		return o.ignored("the server confirms the removal of tags, but keeps them")
	case e.Class == s3.ClassBadResponse:
		return o.ignored("after their removal, tags cannot be read: the response is none to such a request")
	case e.Status == http.StatusForbidden, // the key may not read them
		e.Status == http.StatusNotFound: // or that is how the server says that there are none
		return nil
	}
	return err
}

// versions puts a newer version of the object, and returns an error unless both can be read by their ids and the
// newer one is deleted by its id.
func versions(ctx context.Context, o *Object) (err error) {
	const newer = "A newer version of the object."
	second, err := o.put(ctx, o.Key, newer)
	if err != nil {
		return err
	}
	err = o.olderVersion(ctx, second)
	if o.Remove(ctx, second, &err); err != nil {
		return err
	}
	if _, there := o.read(ctx, second); there == nil {
		return o.ignored("the server confirms the deletion of a version, and keeps it")
	}
	return nil
}

// olderVersion returns an error unless the version before another one can be read by its id.
func (o *Object) olderVersion(ctx context.Context, second ops.ObjectID) error {
	if o.Version == second.Version {
		return o.ignored("the server makes no version ids")
	}
	switch text, err := o.read(ctx, ops.ObjectID{Key: o.Key, Version: o.Version}); {
	case s3.IsNotFound(err):
		return o.ignored("the server returns version ids of versions that it does not have")
	case err == nil && text != Text:
		return o.ignored("the server ignores version ids")
	default:
		return err
	}
}

// lockPeriod is for how long the probe locks a version, which it removes at once.
const lockPeriod = 10 * time.Minute

// locked makes a version, has it locked, and returns an *Ignored if the server deletes it in spite of that.
func (o *Object) locked(ctx context.Context, suffix string, lock func(call func() *s3.Call) error) (err error) {
	id, err := o.put(ctx, o.Key+suffix, Text)
	if err != nil {
		return err
	}
	call := func() *s3.Call { return o.callOn(id) }
	defer func() {
		s, ctx := ops.BypassGovernance(o.S3), context.WithoutCancel(ctx)
		// It may fail, as the version need not be held: what counts is the deletion.
		_ = ops.PutLegalHold(ctx, s, call(), &ops.Document{}, false)
		o.removeBy(ctx, s, id, &err)
	}()
	if id.Version == "" {
		return errors.New("the server makes no version ids")
	}
	if err := lock(call); err != nil {
		return err
	}
	if ops.Delete(ctx, o.S3, call()) == nil {
		return o.ignored("the server deletes a version that is locked")
	}
	return nil
}

// retention locks a version for a time.
func retention(ctx context.Context, o *Object) error {
	return o.locked(ctx, ".retention", func(call func() *s3.Call) error {
		var doc ops.Document
		until := clock.Wall().Add(lockPeriod)
		if err := ops.PutRetention(ctx, o.S3, call(), &doc, until); err != nil {
			return err
		}
		c := call()
		lock, err := ops.GetRetention(ctx, o.S3, c, &doc)
		if err == nil {
			err = CheckLock(c, lock, until.Unix())
		}
		return err
	})
}

// legalHold places a legal hold on a version.
func legalHold(ctx context.Context, o *Object) error {
	return o.locked(ctx, ".legal-hold", func(call func() *s3.Call) error {
		var doc ops.Document
		if err := ops.PutLegalHold(ctx, o.S3, call(), &doc, true); err != nil {
			return err
		}
		c := call()
		on, err := ops.GetLegalHold(ctx, o.S3, c, &doc)
		if err == nil {
			err = CheckHold(c, on, true)
		}
		return err
	})
}

// CheckLock returns an error unless a lock is what was set: in governance mode, until a time in seconds since 1970,
// which servers may round.
func CheckLock(c *s3.Call, l ops.Lock, until int64) error {
	if by := l.Until.Unix() - until; l.Mode == ops.ModeGovernance && by >= -1 && by <= 1 {
		return nil
	}
	return ops.WrongDocument(c, "%s, what was set is %s", l, ops.Lock{Mode: ops.ModeGovernance, Until: time.Unix(until, 0)})
}

// CheckHold returns an error unless a legal hold is what was set.
func CheckHold(c *s3.Call, on, set bool) error {
	if on == set {
		return nil
	}
	state := map[bool]string{false: "no legal hold", true: "a legal hold"}
	return ops.WrongDocument(c, "%s, what was set is %s", state[on], state[set])
}
