package s3

import (
	"context"
	"io"
	"net/http"
)

// Upload is an unfinished multipart upload.
type Upload struct{ Key, ID string }

// HeadBucket looks whether the bucket exists. A response that refuses it does not say why.
func HeadBucket(ctx context.Context, s Session, c *Call) error {
	c.about("", http.MethodHead, NoAccess)
	return s.Do(ctx, c)
}

// CreateBucket creates the bucket in a region; with lock its versions can be locked.
func CreateBucket(ctx context.Context, s Session, c *Call, region string, lock bool) error {
	c.about("", http.MethodPut, NoAccess)
	if lock {
		c.Headers = append(c.Headers, Header{Name: "X-Amz-Bucket-Object-Lock-Enabled", Value: "true"})
	}
	if region != DefaultRegion {
		c.SetDocument([]byte(`<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>` +
			escapeXML(region) + "</LocationConstraint></CreateBucketConfiguration>"))
	}
	return s.Do(ctx, c)
}

// RemoveBucket removes the bucket, which must be empty.
func RemoveBucket(ctx context.Context, s Session, c *Call) error {
	c.about("", http.MethodDelete, NoAccess)
	return s.Do(ctx, c)
}

// Versioning returns the versioning state of the bucket: VersioningEnabled, VersioningSuspended, or empty if it never kept versions.
func Versioning(ctx context.Context, s Session, c *Call) (state string, err error) {
	return bucketState(ctx, s, c, "versioning", "Status")
}

// Versioning states of a bucket.
const (
	VersioningEnabled   = "Enabled"
	VersioningSuspended = "Suspended"
)

// EnableVersioning has the bucket keep versions.
func EnableVersioning(ctx context.Context, s Session, c *Call) error {
	c.about("", http.MethodPut, NoAccess)
	c.Query = append(c.Query, Param{Name: "versioning"})
	c.SetDocument([]byte(`<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>` + VersioningEnabled + "</Status></VersioningConfiguration>"))
	return s.Do(ctx, c)
}

// ObjectLock reports whether versions in the bucket can be locked.
func ObjectLock(ctx context.Context, s Session, c *Call) (enabled bool, err error) {
	state, err := bucketState(ctx, s, c, "object-lock", "ObjectLockEnabled")
	if AsError(err).Code == "ObjectLockConfigurationNotFoundError" {
		return false, nil
	}
	return state == "Enabled", err
}

// bucketState reads an element of a document about the bucket; empty without one.
func bucketState(ctx context.Context, s Session, c *Call, document, name string) (state string, err error) {
	c.about("", http.MethodGet, NoAccess)
	c.Query = append(c.Query, Param{Name: document})
	c.Parse = func(r io.Reader) error {
		state = ""
		root, err := xmlWalk(r, func(e element) {
			if e.name == name {
				state = string(e.text)
			}
		})
		if err != nil {
			return badResponse(root, err)
		}
		return nil
	}
	err = s.Do(ctx, c)
	return state, err
}
