package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
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

// about begins a request that needs nothing of what the caller has set but a key.
func (c *Call) about(key, method string, a Access) {
	expected := c.Expected
	c.Reset()
	c.Key, c.Expected = key, expected
	c.Begin(method, a)
}

// CreateUpload begins a multipart upload of c.Key and returns its id.
func CreateUpload(ctx context.Context, s Session, c *Call) (id string, err error) {
	c.about(c.Key, http.MethodPost, MakesObjects)
	c.Query = append(c.Query, Param{Name: "uploads"})
	c.Parse = func(r io.Reader) error {
		id = ""
		root, err := xmlWalk(r, func(e element) {
			if e.name == "UploadId" {
				id = string(e.text)
			}
		})
		switch {
		case err != nil:
			return badResponse(root, err)
		case id == "":
			return badResponse(root, errors.New("no id of an upload"))
		}
		return nil
	}
	return id, s.Do(ctx, c)
}

// PutPart uploads c.Body as part number, from 1, of a multipart upload, and returns its ETag.
func PutPart(ctx context.Context, s Session, c *Call, upload string, number int) (etag string, err error) {
	c.Begin(http.MethodPut, ReadsWrites)
	c.Query = append(c.Query, Param{Name: "partNumber", Value: strconv.Itoa(number)}, Param{Name: "uploadId", Value: upload})
	c.Want = append(c.Want, "etag")
	if err := s.Do(ctx, c); err != nil {
		return "", err
	}
	return strings.Trim(c.Got[0], `"`), nil
}

// CompleteUpload makes an object of the parts of an upload, whose ETags are given in their order.
func CompleteUpload(ctx context.Context, s Session, c *Call, upload string, etags []string) error {
	var b bytes.Buffer
	b.WriteString(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	for i, etag := range etags {
		fmt.Fprintf(&b, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>", i+1, escapeXML(etag))
	}
	b.WriteString("</CompleteMultipartUpload>")
	c.about(c.Key, http.MethodPost, NoAccess)
	c.Query = append(c.Query, Param{Name: "uploadId", Value: upload})
	c.SetDocument(b.Bytes())
	return s.Do(ctx, c)
}

// AbortUpload ends a multipart upload.
func AbortUpload(ctx context.Context, s Session, c *Call, upload string) error {
	c.about(c.Key, http.MethodDelete, NoAccess)
	c.Query = append(c.Query, Param{Name: "uploadId", Value: upload})
	return s.Do(ctx, c)
}

// SetDocument makes a small XML document the body of a request. It is hashed, as S3 demands of several.
func (c *Call) SetDocument(text []byte) {
	sum, check := sha256.Sum256(text), md5.Sum(text)
	c.Body, c.Size, c.Payload = bytes.NewReader(text), int64(len(text)), hex.EncodeToString(sum[:])
	c.Headers = append(c.Headers,
		Header{Name: "Content-Md5", Value: base64.StdEncoding.EncodeToString(check[:])},
		Header{Name: "Content-Type", Value: "application/xml"})
}
