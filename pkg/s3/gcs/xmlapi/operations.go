package xmlapi

import (
	"context"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// DeleteMany deletes objects by one request, or one by one where the store refuses that, as one operation.
func (d *Dialect) DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, del *ops.Deletion) error {
	var first s3.Response
	if !d.single.Load() {
		err := d.S3.DeleteMany(ctx, s, c, del)
		if err == nil || len(del.Failed) > 0 || !refused(err) {
			return err
		}
		d.single.Store(true)
		first = c.Response
	}
	for place, id := range del.Objects {
		c.BeginKey(id.Key, http.MethodDelete, s3.NoAccess)
		c.SetQuery("versionId", id.Version)
		err := s.Do(ctx, c)
		if place > 0 || first.Requests > 0 {
			c.After(&first)
		}
		first = c.Response
		switch e := s3.AsError(err); {
		case err == nil:
		case e.Status == 0 || e.Says(s3.NoContainer):
			return err
		default:
			del.Failed, del.Places = append(del.Failed, ops.ObjectErr{ObjectID: id, Err: err}), append(del.Places, place)
		}
	}
	return del.Outcome()
}

// refused reports whether the store has no request that deletes several objects.
func refused(err error) bool {
	e := s3.AsError(err)
	return e.Says(s3.Unknown) || e.Status == http.StatusBadRequest && e.Code == "InvalidArgument"
}

// List reads one page of a listing. What one of versions looks like is not documented.
func (d *Dialect) List(ctx context.Context, s s3.Session, c *s3.Call, l *ops.Listing) error {
	switch {
	case l.All:
		return d.Lacking(s3.Versions)
	case l.Metadata:
		return d.Lacking(s3.ListedMetadata)
	}
	return d.S3.List(ctx, s, c, l)
}

// CopyOnto has the store copy an object onto itself, with new metadata.
func (d *Dialect) CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	return d.Copy(ctx, s, c, source)
}

// CompleteUpload makes an object of parts. Conditions take its generation.
func (d *Dialect) CompleteUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string, parts []ops.Part) error {
	wantETag := c.WantETag
	err := d.S3.CompleteUpload(ctx, s, c, upload, parts)
	if wantETag {
		c.ETag = c.VersionID
	}
	return err
}

// CreateBucket creates the bucket in the project and the place that the configuration names.
func (d *Dialect) CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, _ string, lock bool) error {
	if lock {
		return d.Lacking(s3.Retentions)
	}
	c.BeginKey("", http.MethodPut, s3.NoAccess)
	if d.Config.Project != "" {
		c.Headers = append(c.Headers, s3.Header{Name: "X-Goog-Project-Id", Value: d.Config.Project})
	}
	if d.Config.Region != "" {
		c.SetDocument([]byte("<CreateBucketConfiguration><LocationConstraint>" + ops.EscapeXML(d.Config.Region) +
			"</LocationConstraint></CreateBucketConfiguration>"))
	}
	return s.Do(ctx, c)
}

// CopyPart does not exist.
func (d *Dialect) CopyPart(context.Context, s3.Session, *s3.Call, *ops.Document, string, string, int) (ops.Part, error) {
	return ops.Part{}, d.Lacking(s3.CopiedParts)
}

// Append does not exist.
func (d *Dialect) Append(context.Context, s3.Session, *s3.Call, int64) error {
	return d.Lacking(s3.Appending)
}

// ObjectLock reports that there are no locks.
func (d *Dialect) ObjectLock(context.Context, s3.Session, *s3.Call) (bool, error) { return false, nil }

// PutTag does not exist.
func (d *Dialect) PutTag(context.Context, s3.Session, *s3.Call, *ops.Document, string, uint64) error {
	return d.Lacking(s3.ObjectTags)
}

// DeleteTags does not exist.
func (d *Dialect) DeleteTags(context.Context, s3.Session, *s3.Call) error {
	return d.Lacking(s3.ObjectTags)
}

// GetTags does not exist.
func (d *Dialect) GetTags(context.Context, s3.Session, *s3.Call, *ops.Document) error {
	return d.Lacking(s3.ObjectTags)
}

// ReadTags does not exist.
func (d *Dialect) ReadTags(context.Context, s3.Session, *s3.Call) (map[string]string, error) {
	return nil, d.Lacking(s3.ObjectTags)
}
