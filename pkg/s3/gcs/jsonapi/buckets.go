package jsonapi

import (
	"context"
	"encoding/json"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// onBucket begins a request on the bucket itself.
func (d *Dialect) onBucket(s s3.Session, c *s3.Call, method string) {
	c.BeginKey("", method, s3.NoAccess)
	c.Path = d.bucketOf(s, c).itself
}

// bucketError is the error of a request on a bucket: what is not there is that.
func bucketError(err error) error {
	if e, ok := err.(*s3.Error); ok && e.Status == http.StatusNotFound { //nolint:errorlint // a session returns it as it is
		e.Judgement = s3.Judged | s3.NoContainer
	}
	return err
}

// HeadBucket looks whether the bucket exists.
func (d *Dialect) HeadBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	d.onBucket(s, c, http.MethodGet)
	c.SetQuery("fields", "name")
	return bucketError(s.Do(ctx, c))
}

// CreateBucket creates the bucket in the place that the configuration names, without the soft deletion that is on by default: what a
// benchmark deletes would be billed for a week.
func (d *Dialect) CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, _ string, lock bool) error {
	if lock {
		return d.Lacking(s3.Retentions)
	}
	facts := map[string]any{
		"name":             d.bucketOf(s, c).name,
		"softDeletePolicy": map[string]string{"retentionDurationSeconds": "0"},
	}
	if d.Config.Region != "" {
		facts["location"] = d.Config.Region
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	c.BeginKey("", http.MethodPost, s3.NoAccess)
	c.Path = []byte(d.make)
	c.SetQuery("project", d.Config.Project)
	setJSON(c, text)
	return s.Do(ctx, c)
}

// RemoveBucket removes the bucket, which must be empty.
func (d *Dialect) RemoveBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	d.onBucket(s, c, http.MethodDelete)
	return bucketError(s.Do(ctx, c))
}

// GetVersioning returns whether the bucket keeps generations that are deleted or replaced.
func (d *Dialect) GetVersioning(ctx context.Context, s s3.Session, c *s3.Call) (state string, err error) {
	d.onBucket(s, c, http.MethodGet)
	c.SetQuery("fields", "versioning")
	c.Take = func(_ *s3.Call, text []byte) ([]byte, error) {
		var facts struct{ Versioning struct{ Enabled bool } }
		if err := json.Unmarshal(text, &facts); err != nil {
			return nil, ops.BadResponse("bucket", err)
		}
		if facts.Versioning.Enabled {
			state = ops.VersioningEnabled
		}
		return nil, nil
	}
	return state, bucketError(s.Do(ctx, c))
}

// EnableVersioning has the bucket keep generations.
func (d *Dialect) EnableVersioning(ctx context.Context, s s3.Session, c *s3.Call) error {
	d.onBucket(s, c, http.MethodPatch)
	setJSON(c, []byte(`{"versioning":{"enabled":true}}`))
	return bucketError(s.Do(ctx, c))
}

// ObjectLock reports that nothing is locked.
func (d *Dialect) ObjectLock(context.Context, s3.Session, *s3.Call) (bool, error) { return false, nil }
