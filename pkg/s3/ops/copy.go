package ops

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

// CopySource returns the name of an object, or a version of it, as the source of copies.
func CopySource(bucket string, id ObjectID) string {
	var buf [256]byte                                      // most names fit, so that the string is all that is allocated
	b := append(exchange.AppendPath(buf[:0], bucket), '/') // without a slash first, which some servers take for a bucket without a name
	b = exchange.AppendPath(b, id.Key)
	if id.Version != "" {
		b = exchange.AppendQuery(append(b, "?versionId="...), id.Version)
	}
	return string(b)
}

// Copy has the server copy an object to c.Key; see CopySource.
func (S3) Copy(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	beginCopy(c, source)
	return s.Do(ctx, c)
}

// CopyOnto has the server copy the object c.Key, which is the source, to itself. S3 does that only if something changes:
// its metadata are replaced.
func (S3) CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	beginCopy(c, source)
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Metadata-Directive", Value: "REPLACE"})
	return s.Do(ctx, c)
}

var isCopy = rootIs("CopyObjectResult")

func beginCopy(c *s3.Call, source string) {
	c.Begin(http.MethodPut, s3.MakesObjects)
	c.Body, c.Size, c.Source = nil, 0, source
	c.Parse = isCopy
}

// CopyPart has the server copy c.Length bytes of an object from c.Offset on (0: all of it) as part number, from 1, of a multipart
// upload. The response is read into d.
func (S3) CopyPart(ctx context.Context, s s3.Session, c *s3.Call, d *Document, source, upload string, number int) (part Part, err error) {
	c.Begin(http.MethodPut, s3.ReadsWrites)
	c.Body, c.Size, c.Source = nil, 0, source
	c.Query = append(c.Query, s3.Param{Name: "partNumber", Value: strconv.Itoa(number)}, s3.Param{Name: "uploadId", Value: upload})
	if c.Length > 0 {
		var buf [48]byte
		b := strconv.AppendInt(append(buf[:0], "bytes="...), c.Offset, 10)
		b = strconv.AppendInt(append(b, '-'), c.Offset+c.Length-1, 10)
		c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Copy-Source-Range", Value: string(b)})
	}
	c.Parse, c.WantChecksum = d.parser(), true
	if err := s.Do(ctx, c); err != nil {
		return part, err
	}
	if part, err = d.copiedPart(); err != nil {
		e := s3.Classify(err)
		e.Status = c.Status
		return part, e
	}
	part.Number, part.Size, part.Checksum = number, c.Length, d.copiedChecksum(c.Checksum)
	return part, nil
}

// copiedPart returns what the response to a copy of a part says of it. An error behind status 200 is returned.
func (d *Document) copiedPart() (part Part, err error) {
	is := func(root []byte) bool { return string(root) == "CopyPartResult" || string(root) == "CopyObjectResult" } // servers differ
	if err := checkDocument(d.text, is); err != nil {
		return part, err
	}
	if part.ETag = etagIn(d.text); part.ETag == "" {
		return part, BadResponse("CopyPartResult", errors.New("no ETag"))
	}
	return part, nil
}

// etagIn returns the ETag that a document states, without its quotes; empty if it states none.
func etagIn(document []byte) string {
	_, after, _ := bytes.Cut(document, []byte("<ETag>"))
	text, _, found := bytes.Cut(after, []byte("</ETag>"))
	for _, quote := range quotes {
		text = bytes.TrimSuffix(bytes.TrimPrefix(text, quote), quote)
	}
	if !found {
		return ""
	}
	return string(text)
}

// copiedChecksum returns the checksum that the server computed of a part, if the upload has one of the same algorithm.
func (d *Document) copiedChecksum(of s3.Checksum) s3.Checksum {
	if of.Algorithm == nil {
		return of
	}
	_, after, _ := bytes.Cut(d.text, []byte("<Checksum"+of.Name+">"))
	text, _, found := bytes.Cut(after, []byte("<"))
	if of.Text = string(text); !found {
		return s3.Checksum{}
	}
	return of
}

// quotes are how servers write the quotes of an ETag.
var quotes = [][]byte{[]byte("&quot;"), []byte("&#34;"), []byte(`"`)}

// Append appends c.Body to an object that has offset bytes. The size of the object that the response states, if it does, must be
// the new one; some servers state the size of what was appended instead.
func (S3) Append(ctx context.Context, s s3.Session, c *s3.Call, offset int64) error {
	c.Begin(http.MethodPut, s3.MakesObjects)
	c.Act = s3.Act{Words: "append to objects in the bucket", Right: "s3:PutObject"}
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Write-Offset-Bytes", Value: strconv.FormatInt(offset, 10)})
	c.Want = append(c.Want, "x-amz-object-size")
	appended := c.Size
	if err := s.Do(ctx, c); err != nil {
		return err
	}
	if c.Got[0] == "" {
		return nil
	}
	size, err := strconv.ParseInt(c.Got[0], 10, 64)
	if err != nil || size != offset+appended && size != appended {
		return s3.Errorf(s3.ClassWrongLength, c.Status, "appended %d bytes at %d, the response states a size of %s", appended, offset, c.Got[0])
	}
	return nil
}

// ParseCopySource reads what CopySource writes.
func ParseCopySource(name string) (bucket string, id ObjectID, err error) {
	path, version, _ := strings.Cut(name, "?versionId=")
	bucket, key, _ := strings.Cut(path, "/")
	var errs [3]error
	bucket, errs[0] = url.PathUnescape(bucket)
	id.Key, errs[1] = url.PathUnescape(key)
	id.Version, errs[2] = url.PathUnescape(version)
	return bucket, id, errors.Join(errs[:]...)
}
