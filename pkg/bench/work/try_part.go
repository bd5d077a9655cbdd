package work

import (
	"context"
	"errors"
	"io"

	"warp/pkg/bench/dataset"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

// TryPart makes a new object of one part, reports whether it has the given size, and removes it. It is for Examiners, and not measured.
func TryPart(
	ctx context.Context, sess s3.Session, set *dataset.DataSet, size int64, part func(c *s3.Call, upload string) (ops.Part, error),
) (has bool, err error) {
	o, c := set.Object(set.NewCopy()), &s3.Call{}
	request := func(do func() error) error {
		return RetryTemporary(ctx, func() error {
			*c = s3.Call{Bucket: o.Bucket, Key: o.Key}
			return do()
		})
	}
	var id string
	if err := request(func() (err error) { id, err = ops.CreateUpload(ctx, sess, c); return err }); err != nil {
		return false, err
	}
	set.Uploads.Add(o.Index, ops.Upload{Key: o.Key, ID: id}) // the clean-up aborts it
	var made ops.Part
	if err = request(func() (err error) { made, err = part(c, id); return err }); err == nil {
		err = request(func() error { return ops.CompleteUpload(ctx, sess, c, id, []ops.Part{made}) })
	}
	if err != nil {
		return false, err
	}
	set.Uploads.Remove(o.Index, id)
	if c.VersionID != "" {
		set.NoteVersions()
	}
	err = request(func() error {
		c.Size, c.Into = -1, probe.AtMost(io.Discard, size)
		return ops.Get(ctx, sess, c)
	})
	has = err == nil && c.Bytes == size
	if errors.Is(err, probe.ErrMore) {
		err = nil
	}
	if err = errors.Join(err, request(func() error { return ops.Delete(ctx, sess, c) })); err == nil {
		set.Unsent(o.Index)
	}
	return has, err
}
