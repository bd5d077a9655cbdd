package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
)

// Part is a part of an upload that the server has.
type Part struct {
	Number   int // from 1
	ETag     string
	Size     int64
	Checksum s3.Checksum
}

// CreateUpload begins a multipart upload of c.Key and returns its id.
func (S3) CreateUpload(ctx context.Context, s s3.Session, c *s3.Call) (id string, err error) {
	c.BeginKey(c.Key, http.MethodPost, s3.MakesObjects)
	c.Query = append(c.Query, s3.Param{Name: "uploads"})
	c.Parse = func(r io.Reader) error {
		id = ""
		root, err := WalkXML(r, func(e Element) {
			if e.Name == "UploadId" {
				id = string(e.Text)
			}
		})
		switch {
		case err != nil:
			return BadResponse(root, err)
		case id == "":
			return BadResponse(root, errors.New("no id of an upload"))
		}
		return nil
	}
	return id, s.Do(ctx, c)
}

// PutPart uploads c.Body as part number, from 1, of a multipart upload.
func (S3) PutPart(ctx context.Context, s s3.Session, c *s3.Call, upload string, number int) (Part, error) {
	c.Begin(http.MethodPut, s3.ReadsWrites)
	c.Query = append(c.Query, s3.Param{Name: "partNumber", Value: strconv.Itoa(number)}, s3.Param{Name: "uploadId", Value: upload})
	c.Want, c.WantChecksum = append(c.Want, "etag"), true
	if err := s.Do(ctx, c); err != nil {
		return Part{}, err
	}
	return Part{number, strings.Trim(c.Got[0], `"`), c.Size, c.Checksum}, nil
}

// CompleteUpload makes an object of parts of an upload, whose numbers must ascend. If they have checksums, the server
// checks them once more, and what it states of the object must be right. With c.WantETag, c.ETag becomes that of the object.
func (S3) CompleteUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string, parts []Part) error {
	var b bytes.Buffer
	b.WriteString(`<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	for i := range parts {
		fmt.Fprintf(&b, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag>", parts[i].Number, EscapeXML(parts[i].ETag))
		if sum := &parts[i].Checksum; sum.Algorithm != nil {
			fmt.Fprintf(&b, "<Checksum%s>%s</Checksum%s>", sum.Name, sum.Text, sum.Name)
		}
		b.WriteString("</Part>")
	}
	b.WriteString("</CompleteMultipartUpload>")
	whole, err := checksumOf(parts)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	wantETag := c.WantETag
	c.BeginKey(c.Key, http.MethodPost, s3.JoinsParts)
	c.Query = append(c.Query, s3.Param{Name: "uploadId", Value: upload})
	c.SetDocument(b.Bytes())
	if whole.FullObject {
		c.Headers = append(c.Headers,
			s3.Header{Name: whole.Header, Value: whole.Text},
			s3.Header{Name: "X-Amz-Checksum-Type", Value: whole.Type()},
		)
	}
	etag := ""
	if whole.Algorithm != nil || wantETag {
		c.Parse = func(r io.Reader) error {
			text, err := s3.ReadConfirmation(r, c.Status)
			if err != nil {
				return err
			}
			etag = etagIn(text)
			return checkCompleted(text, c.Status, whole)
		}
	}
	err = s.Do(ctx, c)
	if wantETag && etag != "" {
		c.ETag = `"` + etag + `"`
	}
	return err
}

// checksumOf returns the checksum of the object that parts make; none if not all of them have one.
func checksumOf(parts []Part) (sum s3.Checksum, err error) {
	if len(parts) == 0 || parts[0].Checksum.Algorithm == nil {
		return sum, nil
	}
	sum = parts[0].Checksum
	all := checksum.NewCombiner(sum.Algorithm, sum.FullObject)
	for i := range parts {
		if parts[i].Checksum.Algorithm != sum.Algorithm {
			return s3.Checksum{}, nil
		}
		if err := all.Add(parts[i].Checksum.Text, parts[i].Size); err != nil {
			return s3.Checksum{}, fmt.Errorf("part %d: %w", parts[i].Number, err)
		}
	}
	sum.Text = all.Sum()
	return sum, nil
}

// checkCompleted checks what the response to a completed upload states of a checksum, if there is one.
func checkCompleted(text []byte, status int, want s3.Checksum) error {
	if want.Algorithm == nil {
		return nil
	}
	_, after, _ := bytes.Cut(text, []byte("<Checksum"+want.Name+">"))
	stated, _, found := bytes.Cut(after, []byte("<"))
	hash, _, _ := strings.Cut(want.Text, "-") // not all servers state the number of parts behind it
	if got := string(bytes.TrimSpace(stated)); found && got != want.Text && got != hash {
		return s3.Errorf(s3.ClassDiffers, status, "the server states the %s %s of the object, which is %s", want.Name, got, want.Text)
	}
	return nil
}

// AbortUpload ends a multipart upload.
func (S3) AbortUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string) error {
	c.BeginKey(c.Key, http.MethodDelete, s3.NoAccess)
	c.Query = append(c.Query, s3.Param{Name: "uploadId", Value: upload})
	return s.Do(ctx, c)
}
