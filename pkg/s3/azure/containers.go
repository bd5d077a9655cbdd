package azure

import (
	"context"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// onContainer begins a request on the container.
func onContainer(c *s3.Call, method string) {
	c.BeginKey("", method, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "restype", Value: "container"})
}

// HeadBucket looks whether the container exists.
func (d *Dialect) HeadBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	onContainer(c, http.MethodHead)
	return s.Do(ctx, c)
}

// CreateBucket creates the container. The region is that of the account.
func (d *Dialect) CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, _ string, lock bool) error {
	if lock {
		return d.lacking(s3.Retentions)
	}
	onContainer(c, http.MethodPut)
	return s.Do(ctx, c)
}

// RemoveBucket removes the container. Unlike a bucket it may hold blobs, so it must be known to be empty.
func (d *Dialect) RemoveBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	if err := d.checkEmpty(ctx, s, c); err != nil {
		return err
	}
	onContainer(c, http.MethodDelete)
	return s.Do(ctx, c)
}

// GetVersioning says what responses have shown: versions are a setting of the account, which these requests cannot ask for.
func (d *Dialect) GetVersioning(context.Context, s3.Session, *s3.Call) (string, error) {
	if d.account.versions.Load() {
		return ops.VersioningEnabled, nil
	}
	return "", nil
}

// EnableVersioning fails.
func (d *Dialect) EnableVersioning(context.Context, s3.Session, *s3.Call) error {
	return d.lacking(s3.Versions)
}

// ObjectLock reports that there are no locks.
func (d *Dialect) ObjectLock(context.Context, s3.Session, *s3.Call) (bool, error) { return false, nil }
