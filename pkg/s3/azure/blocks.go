package azure

import (
	"bytes"
	"context"
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"strconv"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// uploadID stands for the unfinished upload of a blob. There is at most one: all blocks of a name that are not committed.
const uploadID = "blocks"

// blockID is the id of a part: eight digits. All ids of a blob must have one length.
func blockID(number int) string {
	var digits [8]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = '0' + byte(number%10)
		number /= 10
	}
	var id [12]byte
	return string(base64.StdEncoding.AppendEncode(id[:0], digits[:]))
}

// CreateUpload sends nothing: an upload begins with its first block.
func (d *Dialect) CreateUpload(_ context.Context, _ s3.Session, c *s3.Call) (string, error) {
	c.Response = s3.Response{Got: c.Got[:0]}
	return uploadID, nil
}

// PutPart uploads a block.
func (d *Dialect) PutPart(ctx context.Context, s s3.Session, c *s3.Call, _ string, number int) (ops.Part, error) {
	c.Begin(http.MethodPut, s3.ReadsWrites)
	component(c, "block")
	c.Query = append(c.Query, s3.Param{Name: "blockid", Value: blockID(number)})
	if err := s.Do(ctx, c); err != nil {
		return ops.Part{}, err
	}
	return ops.Part{Number: number, Size: c.Size}, nil
}

// CompleteUpload commits blocks.
func (d *Dialect) CompleteUpload(ctx context.Context, s s3.Session, c *s3.Call, _ string, parts []ops.Part) error {
	condition, wantETag := c.If, c.WantETag
	d.commit(c, parts)
	c.If, c.WantETag = condition, wantETag
	return d.made(c, s.Do(ctx, c))
}

// commit begins the request that makes the blob of blocks.
func (d *Dialect) commit(c *s3.Call, parts []ops.Part) {
	var b bytes.Buffer
	b.WriteString("<BlockList>")
	for i := range parts {
		b.WriteString("<Latest>" + blockID(parts[i].Number) + "</Latest>")
	}
	b.WriteString("</BlockList>")
	c.BeginKey(c.Key, http.MethodPut, s3.JoinsParts)
	component(c, "blocklist")
	c.SetDocument(b.Bytes())
	c.Payload = ""
	c.Headers = append(c.Headers, d.committed...)
}

// aborted is the header that marks the blob that aborting makes.
const aborted = "x-ms-meta-warpaborted"

// AbortUpload discards the blocks of a name: it commits none of them, which makes an empty blob if there is none of the name, and deletes
// just that one. A blob that is there already is left alone.
func (d *Dialect) AbortUpload(ctx context.Context, s s3.Session, c *s3.Call, _ string) error {
	key, mark := c.Key, strconv.FormatUint(rand.Uint64(), 36)
	d.commit(c, nil)
	c.Headers = append(c.Headers, s3.Header{Name: aborted, Value: mark})
	c.If, c.WantETag = s3.Conditions{NoneMatch: "*"}, true
	err := s.Do(ctx, c)
	if s3.AsError(err).Says(s3.Exists) && c.Resent+c.Retries > 0 { // perhaps by the request whose response was lost
		c.BeginKey(key, http.MethodHead, s3.ReadsWrites)
		c.WantETag, c.Want = true, append(c.Want, aborted)
		if err = s.Do(ctx, c); err == nil && c.Got[0] != mark {
			return nil
		}
	}
	switch {
	case s3.AsError(err).Says(s3.Exists):
		return nil // it was committed, and its blocks went with that, or belong to somebody who writes to it
	case err != nil:
		return err
	}
	etag, version := c.ETag, c.VersionID
	c.BeginKey(key, http.MethodDelete, s3.NoAccess)
	c.If = s3.Conditions{Match: etag}
	if err := s.Do(ctx, c); err != nil && !isReplaced(err) {
		return err
	}
	if version == "" {
		return nil
	}
	c.Version = version
	if err := d.delete(ctx, s, c); err != nil && !isReplaced(err) {
		return err
	}
	return nil
}

// isReplaced reports whether the blob that is to be deleted is gone, or another one has its name.
func isReplaced(err error) bool {
	return s3.IsNotFound(err) && !s3.NoBucket(err) || s3.AsError(err).Status == http.StatusPreconditionFailed
}
