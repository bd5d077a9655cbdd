package probe

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// signedGet reads the object by a URL that is signed ahead.
func signedGet(ctx context.Context, o *Object) error {
	var got bytes.Buffer
	c := o.callOn(ops.ObjectID{Key: o.Key})
	c.Auth, c.Into = s3.AuthQuery, AtMost(&got, longest)
	err := ops.Get(ctx, o.S3, c)
	if err == nil && got.String() != Text {
		err = o.ignored("another object is sent")
	}
	return err
}

func attributes(ctx context.Context, o *Object) error { return ops.GetAttributes(ctx, o.S3, o.Call()) }

func acl(ctx context.Context, o *Object) error { return ops.GetACL(ctx, o.S3, o.Call()) }

// Conditions of requests.
const (
	ifMatch = true
	ifNone  = false
)

// otherETag is one that no object has.
const otherETag = `"00000000000000000000000000000000"`

// refusals are the statuses of responses to requests whose condition does not hold: 304 to reads, 412 to others, and 409 to writes of
// which several came at once.
var refusals = []int{http.StatusNotModified, http.StatusConflict, http.StatusPreconditionFailed}

// condition returns the capability to honour a condition of a kind of requests, where it does not hold.
func condition(group, name, right string, kind op.Kind, match bool) *Capability {
	c := row(group, name, right, func(ctx context.Context, o *Object) error { return o.refuses(ctx, kind, match) })
	c.kind, c.match = kind, match
	return c
}

// refuses sends a request whose condition does not hold.
func (o *Object) refuses(ctx context.Context, kind op.Kind, match bool) error {
	name, on := "If-Match", s3.Conditions{Match: otherETag}
	if !match {
		name, on = "If-None-Match", s3.Conditions{NoneMatch: "*"}
	}
	if reads := kind == op.Get || kind == op.Stat; !match && reads && o.ETag != "" {
		on.NoneMatch = o.ETag
	}
	switch err := o.send(ctx, kind, on); {
	case err == nil:
		return o.ignored("the server ignores %s of %s", name, kind)
	case !slices.Contains(refusals, o.call.Status):
		return fmt.Errorf("with %s: %w", name, err)
	}
	if o.call.Status == http.StatusConflict {
		o.note("the server answers %s of %s with 409 where the condition does not hold", name, kind)
	}
	return nil
}

// send sends a conditional request on the object.
func (o *Object) send(ctx context.Context, kind op.Kind, on s3.Conditions) error {
	c := o.callOn(ops.ObjectID{Key: o.Key})
	switch c.If = on; kind {
	case op.Put:
		c = o.Upload(o.Key, Text)
		c.If = on
		return ops.Put(ctx, o.S3, c)
	case op.Delete:
		return ops.Delete(ctx, o.S3, c)
	case op.Stat:
		return ops.Stat(ctx, o.S3, c)
	default:
		return ops.Get(ctx, o.S3, c)
	}
}
