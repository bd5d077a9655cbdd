package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
)

// Put uploads c.Body as one request, without hashing it.
func Put(ctx context.Context, s Session, c *Call) error {
	c.Begin(http.MethodPut, MakesObjects)
	return s.Do(ctx, c)
}

// Get downloads an object, or a range of it, as one request.
func Get(ctx context.Context, s Session, c *Call) error {
	c.object(http.MethodGet, ReadsWrites)
	return s.Do(ctx, c)
}

// GetPart downloads part number, from 1, of an object that was uploaded in parts; c.Size is the length of the part.
func GetPart(ctx context.Context, s Session, c *Call, number int) error {
	c.object(http.MethodGet, ReadsWrites)
	c.Query = append(c.Query, Param{Name: "partNumber", Value: strconv.Itoa(number)})
	return s.Do(ctx, c)
}

// Stat reads the head of an object.
func Stat(ctx context.Context, s Session, c *Call) error {
	c.object(http.MethodHead, ReadsWrites)
	return s.Do(ctx, c)
}

// Delete deletes one object or version.
func Delete(ctx context.Context, s Session, c *Call) error {
	c.object(http.MethodDelete, NoAccess)
	return s.Do(ctx, c)
}

// object begins a request without a body on an object, or a version of it.
func (c *Call) object(method string, a Access) {
	c.Begin(method, a)
	c.Body = nil
	c.SetQuery("versionId", c.Version)
}

// about begins a request that needs nothing of what the caller has set but a bucket and a key.
func (c *Call) about(key, method string, a Access) {
	bucket, other, expected := c.Bucket, c.Other, c.Expected
	c.Reset()
	c.Bucket, c.Other, c.Key, c.Expected = bucket, other, key, expected
	c.Begin(method, a)
}

// SetDocument makes a small XML document the body of a request. It is hashed, as S3 demands of several.
func (c *Call) SetDocument(text []byte) {
	sum, check := sha256.Sum256(text), md5.Sum(text)
	c.Body, c.Size, c.Payload = bytes.NewReader(text), int64(len(text)), hex.EncodeToString(sum[:])
	c.Headers = append(c.Headers,
		Header{Name: "Content-Md5", Value: base64.StdEncoding.EncodeToString(check[:])},
		Header{Name: "Content-Type", Value: "application/xml"})
}
