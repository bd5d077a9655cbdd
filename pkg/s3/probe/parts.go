package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/units"
)

// firstPart is the shortest part that S3 allows, but for the last one.
const firstPart = 5 << 20

// partsKey is the key of the object in parts.
func (o *Object) partsKey() string { return o.Key + ".parts" }

// lastPart is where the last part of that object begins, and its number.
func (o *Object) lastPart() (offset int64, number int) {
	if o.TwoPart {
		return firstPart, 2
	}
	return 0, 1
}

// inParts makes an object by requests that send its parts, and returns the id of its version. What cannot be completed is aborted.
func (o *Object) inParts(ctx context.Context, key string, send func(id string) ([]ops.Part, error)) (version string, err error) {
	id, err := ops.CreateUpload(ctx, o.S3, o.callOn(ops.ObjectID{Key: key}))
	if err != nil {
		return "", err
	}
	list, err := send(id)
	if err == nil {
		c := o.callOn(ops.ObjectID{Key: key})
		if err = ops.CompleteUpload(ctx, o.S3, c, id, list); err == nil {
			return c.VersionID, nil
		}
	}
	aborted := ops.AbortUpload(context.WithoutCancel(ctx), o.S3, o.callOn(ops.ObjectID{Key: key}), id)
	if aborted != nil && !s3.IsNotFound(aborted) {
		o.Unfinished = append(o.Unfinished, ops.Upload{Key: key, ID: id})
		err = fmt.Errorf("%w; an unfinished upload of %q may stay in the bucket", err, key)
	}
	return "", err
}

// parts uploads an object in parts.
func parts(ctx context.Context, o *Object) (err error) {
	key, bodies := o.partsKey(), []string{Text}
	if o.TwoPart {
		bodies = []string{strings.Repeat("-", firstPart), Text}
	}
	version, err := o.inParts(ctx, key, func(id string) (list []ops.Part, err error) {
		for i, body := range bodies {
			part, err := ops.PutPart(ctx, o.S3, o.Upload(key, body), id, i+1)
			if err != nil {
				return nil, err
			}
			list = append(list, part)
		}
		return list, nil
	})
	if err != nil {
		return err
	}
	if !o.TwoPart {
		defer o.Remove(ctx, ops.ObjectID{Key: key, Version: version}, &err)
		return o.holds(ctx, key, "the server confirms an upload in parts, and stores something else")
	}
	offset, _ := o.lastPart()
	return o.holdsRange(ctx, key, offset, Text, "the object differs from its parts")
}

// copyPart has the last part of an object copied. Without TwoPart that is the object of the probe; some servers want larger sources.
func copyPart(ctx context.Context, o *Object) (err error) {
	key, source := o.Key+".part-copy", ops.ObjectID{Key: o.Key}
	if o.TwoPart {
		source.Key = o.partsKey()
	}
	version, err := o.inParts(ctx, key, func(id string) ([]ops.Part, error) {
		c := o.callOn(ops.ObjectID{Key: key})
		if o.TwoPart {
			c.Offset, c.Length = firstPart, int64(len(Text))
		}
		part, err := ops.CopyPart(ctx, o.S3, c, &ops.Document{}, ops.CopySource(o.Bucket, source), id, 1)
		return []ops.Part{part}, err
	})
	if err != nil {
		return err
	}
	defer o.Remove(ctx, ops.ObjectID{Key: key, Version: version}, &err)
	return o.holds(ctx, key, "the server copies something else than the part that is asked for")
}

// ranges reads a range of the object.
func ranges(ctx context.Context, o *Object) error {
	const from, to = 3, 10
	return o.holdsRange(ctx, o.Key, from, Text[from:to], "the server does not return the range of an object that is asked for")
}

// holdsRange returns an *Ignored with a text unless a range of an object holds what it must.
func (o *Object) holdsRange(ctx context.Context, key string, offset int64, want, otherwise string) error {
	var got bytes.Buffer
	c := o.callOn(ops.ObjectID{Key: key})
	c.Offset, c.Length, c.Into = offset, int64(len(want)), AtMost(&got, longest)
	err := ops.Get(ctx, o.S3, c)
	if errors.Is(err, ErrMore) || err == nil && got.String() != want {
		err = o.ignored("%s", otherwise)
	}
	return err
}

// partNumber reads the last part of an object by its number. Several servers send the whole object.
func partNumber(ctx context.Context, o *Object) error {
	_, number := o.lastPart()
	return ReadPart(ctx, o.S3, o.callOn(ops.ObjectID{Key: o.partsKey()}), number, int64(len(Text)))
}

// ReadPart reads a part of an object by its number. The error is an *Ignored if the server sends more than its length.
func ReadPart(ctx context.Context, s s3.Session, c *s3.Call, number int, length int64) error {
	c.Size, c.Into = length, AtMost(io.Discard, length)
	err := ops.GetPart(ctx, s, c, number)
	if errors.Is(err, ErrMore) {
		const text = "the server ignores partNumber: of part %d it sent more than the %s of that part"
		err = &Ignored{c.Status, fmt.Sprintf(text, number, units.Size(length))}
	}
	return err
}
