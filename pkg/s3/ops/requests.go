package ops

import (
	"context"
	"net/http"
	"strconv"

	"warp/pkg/s3"
)

// Put uploads c.Body as one request, without hashing it.
func (S3) Put(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.Begin(http.MethodPut, s3.MakesObjects)
	return s.Do(ctx, c)
}

// Get downloads an object, or a range of it, as one request.
func (S3) Get(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginObject(http.MethodGet, s3.ReadsWrites)
	return s.Do(ctx, c)
}

// GetPart downloads part number, from 1, of an object that was uploaded in parts; c.Size is the length of the part.
func GetPart(ctx context.Context, s s3.Session, c *s3.Call, number int) error {
	c.BeginObject(http.MethodGet, s3.ReadsWrites)
	c.Query = append(c.Query, s3.Param{Name: "partNumber", Value: strconv.Itoa(number)})
	return s.Do(ctx, c)
}

// Stat reads the head of an object.
func (S3) Stat(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginObject(http.MethodHead, s3.ReadsWrites)
	return s.Do(ctx, c)
}

// StatChecksum is Stat with a response that states the checksum of the object, if it has one.
func StatChecksum(ctx context.Context, s s3.Session, c *s3.Call) error {
	if s.Dialect().Name() != s3.StoreS3 {
		return Stat(ctx, s, c)
	}
	c.BeginObject(http.MethodHead, s3.ReadsWrites)
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Checksum-Mode", Value: "ENABLED"})
	return s.Do(ctx, c)
}

// Delete deletes one object or version.
func (S3) Delete(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.BeginObject(http.MethodDelete, s3.NoAccess)
	return s.Do(ctx, c)
}

// Post uploads c.Body as a form.
func Post(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.Begin(http.MethodPost, s3.NoAccess)
	c.Auth = s3.AuthForm
	return s.Do(ctx, c)
}
