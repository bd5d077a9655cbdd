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

// CreateBucket creates the bucket in a region.
func CreateBucket(ctx context.Context, s Session, c *Call, region string) error {
	c.about("", http.MethodPut, NoAccess)
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

// Versioning returns the versioning state of the bucket: "Enabled", "Suspended", or empty if it never kept versions.
func Versioning(ctx context.Context, s Session, c *Call) (state string, err error) {
	c.about("", http.MethodGet, NoAccess)
	c.Query = append(c.Query, Param{Name: "versioning"})
	c.Parse = func(r io.Reader) error {
		state = ""
		root, err := xmlWalk(r, func(e element) {
			if e.name == "Status" {
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
