package probe

import (
	"context"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Rename is what few servers do, such as AWS in directory buckets.
var Rename = row(Uploads, "rename", "s3:PutObject, s3:DeleteObject", renamed)

func init() { register(Rename) }

// renamed has an object renamed. Servers that do not know the request make an empty object of the new name.
func renamed(ctx context.Context, o *Object) (err error) {
	key, name := o.Key+".old", o.Key+".new"
	id, err := o.put(ctx, key, Text)
	if err != nil {
		return err
	}
	defer o.Remove(ctx, id, &err)
	c := o.Call()
	c.Key = name
	err = ops.Rename(ctx, o.S3, c, ops.CopySource(o.Bucket, ops.ObjectID{Key: key}))
	if err != nil && !c.MaybeSent {
		return err
	}
	defer o.removeNew(ctx, name, &err)
	if err != nil {
		return err
	}
	if err := o.holds(ctx, name, "the server confirms a new name, and makes an empty object"); err != nil {
		return err
	}
	if there := ops.Stat(ctx, o.S3, o.callOn(ops.ObjectID{Key: key})); !s3.IsNotFound(there) {
		if there == nil {
			there = o.ignored("the server copies objects instead of renaming them")
		}
		return there
	}
	return nil
}
