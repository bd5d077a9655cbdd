package ops

import (
	"context"
	"errors"
	"io"
	"net/http"

	"warp/pkg/s3"
)

// Upload is an unfinished multipart upload.
type Upload struct{ Key, ID string }

// HeadBucket looks whether the bucket exists. A response that refuses it does not say why.
func (S3) HeadBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginKey("", http.MethodHead, s3.NoAccess)
	return s.Do(ctx, c)
}

// CreateBucket creates the bucket in a region; with lock its versions can be locked.
func (S3) CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, region string, lock bool) error {
	c.BeginKey("", http.MethodPut, s3.NoAccess)
	if lock {
		c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Bucket-Object-Lock-Enabled", Value: "true"})
	}
	if region != s3.DefaultRegion {
		c.SetDocument([]byte(`<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>` +
			EscapeXML(region) + "</LocationConstraint></CreateBucketConfiguration>"))
	}
	return s.Do(ctx, c)
}

// RemoveBucket removes the bucket, which must be empty.
func (S3) RemoveBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginKey("", http.MethodDelete, s3.NoAccess)
	return s.Do(ctx, c)
}

// GetVersioning returns the versioning state of the bucket: VersioningEnabled, VersioningSuspended, or empty if it never kept versions.
func (S3) GetVersioning(ctx context.Context, s s3.Session, c *s3.Call) (state string, err error) {
	return bucketState(ctx, s, c, "versioning", "Status")
}

// Versioning states of a bucket.
const (
	VersioningEnabled   = "Enabled"
	VersioningSuspended = "Suspended"
)

// EnableVersioning has the bucket keep versions.
func (S3) EnableVersioning(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginKey("", http.MethodPut, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "versioning"})
	c.SetDocument([]byte(`<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
		"<Status>" + VersioningEnabled + "</Status></VersioningConfiguration>"))
	return s.Do(ctx, c)
}

// ObjectLock reports whether versions in the bucket can be locked.
func (S3) ObjectLock(ctx context.Context, s s3.Session, c *s3.Call) (enabled bool, err error) {
	state, err := bucketState(ctx, s, c, "object-lock", "ObjectLockEnabled")
	if s3.AsError(err).Code == "ObjectLockConfigurationNotFoundError" {
		return false, nil
	}
	return state == "Enabled", err
}

// bucketState reads an element of a document about the bucket; empty without one.
func bucketState(ctx context.Context, s s3.Session, c *s3.Call, document, name string) (state string, err error) {
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: document})
	c.Parse = func(r io.Reader) error {
		state = ""
		root, err := WalkXML(r, func(e Element) {
			if e.Name == name {
				state = string(e.Text)
			}
		})
		if err != nil {
			return BadResponse(root, err)
		}
		return nil
	}
	err = s.Do(ctx, c)
	return state, err
}

// BucketSession is a session with a directory bucket: the keys that sign its requests, and when they expire, as the server writes it.
type BucketSession struct{ Access, Secret, Token, Expiration, Date string }

// CreateSession creates a session with a directory bucket.
func CreateSession(ctx context.Context, s s3.Session, c *s3.Call) (made BucketSession, err error) {
	c.BeginKey("", http.MethodGet, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "session"})
	c.Want = append(c.Want, "date")
	c.Parse = func(r io.Reader) error {
		made = BucketSession{}
		root, err := WalkXML(r, func(e Element) {
			if e.Parent != "Credentials" {
				return
			}
			switch e.Name {
			case "AccessKeyId":
				made.Access = string(e.Text)
			case "SecretAccessKey":
				made.Secret = string(e.Text)
			case "SessionToken":
				made.Token = string(e.Text)
			case "Expiration":
				made.Expiration = string(e.Text)
			}
		})
		if err != nil {
			return BadResponse(root, err)
		}
		if made.Access == "" || made.Secret == "" || made.Token == "" {
			return BadResponse(root, errNoSession)
		}
		return nil
	}
	if err = s.Do(ctx, c); err == nil {
		made.Date = c.Got[0]
	}
	return made, err
}

var errNoSession = errors.New("no keys of a session; the server has no directory buckets")
