package azure

import (
	"context"
	"net/http"
	"strconv"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

var (
	blockBlob  = s3.Header{Name: "X-Ms-Blob-Type", Value: "BlockBlob"}
	appendBlob = s3.Header{Name: "X-Ms-Blob-Type", Value: "AppendBlob"}
)

// begin begins a request without a body on a blob, or a version of it.
func begin(c *s3.Call, method string, a s3.Access) {
	c.Begin(method, a)
	c.Body = nil
	c.SetQuery("versionid", c.Version)
}

// component makes a request one about a component.
func component(c *s3.Call, name string) {
	c.Query = append(c.Query, s3.Param{Name: "comp", Value: name})
}

// Put uploads a block blob by one request.
func (d *Dialect) Put(ctx context.Context, s s3.Session, c *s3.Call) error {
	c.Begin(http.MethodPut, s3.MakesObjects)
	c.Headers = append(c.Headers, blockBlob)
	return d.made(c, s.Do(ctx, c))
}

// Get downloads a blob, or a range of it.
func (d *Dialect) Get(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodGet, s3.ReadsWrites)
	return s.Do(ctx, c)
}

// Stat reads the head of a blob.
func (d *Dialect) Stat(ctx context.Context, s s3.Session, c *s3.Call) error {
	begin(c, http.MethodHead, s3.ReadsWrites)
	return s.Do(ctx, c)
}

// Append appends to an append blob, and makes it first if nothing was appended yet.
func (d *Dialect) Append(ctx context.Context, s s3.Session, c *s3.Call, offset int64) error {
	if offset == 0 {
		made := s3.Call{Key: c.Key, Bucket: c.Bucket, Other: c.Other}
		made.Begin(http.MethodPut, s3.MakesObjects)
		made.Headers = append(made.Headers, appendBlob)
		if err := s.Do(ctx, &made); err != nil {
			c.Response = made.Response
			return err
		}
		defer func() { c.After(&made.Response) }()
	}
	c.Begin(http.MethodPut, s3.ReadsWrites)
	c.Act = s3.Act{Words: "append to blobs", Right: "Storage Blob Data Contributor, or sp=a"}
	component(c, "appendblock")
	c.Headers = append(c.Headers, s3.Header{Name: "X-Ms-Blob-Condition-Appendpos", Value: strconv.FormatInt(offset, 10)})
	return s.Do(ctx, c)
}

// PutTag replaces the tags of a blob by one.
func (d *Dialect) PutTag(ctx context.Context, s s3.Session, c *s3.Call, doc *ops.Document, key string, value uint64) error {
	if err := d.lacking(s3.ObjectTags); err != nil {
		return err
	}
	begin(c, http.MethodPut, s3.NoAccess)
	c.Act = s3.Act{Words: "replace the tags of blobs", Right: "Storage Blob Data Owner, or sp=t"}
	component(c, "tags")
	number := strconv.FormatUint(value, 10)
	doc.Build(c, "<Tags><TagSet><Tag><Key>", ops.EscapeXML(key), "</Key><Value>", number, "</Value></Tag></TagSet></Tags>")
	return s.Do(ctx, c)
}

// DeleteTags replaces the tags of a blob by none.
func (d *Dialect) DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	if err := d.lacking(s3.ObjectTags); err != nil {
		return err
	}
	begin(c, http.MethodPut, s3.NoAccess)
	c.Act = s3.Act{Words: "remove the tags of blobs", Right: "Storage Blob Data Owner, or sp=t"}
	component(c, "tags")
	new(ops.Document).Build(c, "<Tags><TagSet></TagSet></Tags>")
	return s.Do(ctx, c)
}

// GetTags reads the tags of a blob.
func (d *Dialect) GetTags(ctx context.Context, s s3.Session, c *s3.Call, doc *ops.Document) error {
	if err := d.lacking(s3.ObjectTags); err != nil {
		return err
	}
	begin(c, http.MethodGet, s3.NoAccess)
	c.Size, c.Act = -1, s3.Act{Words: "read the tags of blobs", Right: "Storage Blob Data Owner, or sp=t"}
	component(c, "tags")
	c.Parse = doc.Parse()
	if err := s.Do(ctx, c); err != nil {
		return err
	}
	return doc.Check(c, "Tags")
}

// ReadTags returns the tags of a blob.
func (d *Dialect) ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (map[string]string, error) {
	var doc ops.Document
	if err := d.GetTags(ctx, s, c, &doc); err != nil {
		return nil, err
	}
	return doc.AllTags(), nil
}
