package ops

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"warp/pkg/s3"
)

// Subresources of an object: its tags, its attributes, and so on. A request for one is a GET, PUT or DELETE of the object
// with the name of the subresource in the query. Servers that do not support one may send or overwrite the object instead, so
// responses must have the right root element.

// beginSubresource begins a request for a subresource of c.Key or c.Version.
func beginSubresource(c *s3.Call, method, name string) {
	c.BeginObject(method, s3.NoAccess)
	c.Size = -1
	c.Query = append(c.Query, s3.Param{Name: name})
}

// getSubresource reads a subresource.
func getSubresource(ctx context.Context, s s3.Session, c *s3.Call, name string, parse func(io.Reader) error) error {
	beginSubresource(c, http.MethodGet, name)
	c.Parse = parse
	return s.Do(ctx, c)
}

// put replaces a subresource.
func putSubresource(ctx context.Context, s s3.Session, c *s3.Call, name string, d *Document) error {
	beginSubresource(c, http.MethodPut, name)
	d.attach(c)
	return s.Do(ctx, c)
}

// PutTag replaces the tags of an object by one, whose value is a number.
func PutTag(ctx context.Context, s s3.Session, c *s3.Call, d *Document, key string, value uint64) error {
	d.text = append(append(d.text[:0], "<Tagging><TagSet><Tag><Key>"...), key...)
	d.text = append(strconv.AppendUint(append(d.text, "</Key><Value>"...), value, 10), "</Value></Tag></TagSet></Tagging>"...)
	return putSubresource(ctx, s, c, "tagging", d)
}

// DeleteTags removes the tags of an object.
func DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	beginSubresource(c, http.MethodDelete, "tagging")
	return s.Do(ctx, c)
}

// ReadTags returns the tags of an object.
func ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (tags map[string]string, err error) {
	err = getSubresource(ctx, s, c, "tagging", func(r io.Reader) error {
		key := ""
		tags = map[string]string{}
		root, err := xmlWalk(r, func(e element) {
			switch {
			case e.parent == "Tag" && e.name == "Key":
				key = string(e.text)
			case e.parent == "Tag" && e.name == "Value":
				tags[key] = string(e.text)
			}
		})
		if err == nil && root != "Tagging" {
			err = errors.New("not the tags of an object")
		}
		if err != nil {
			return badResponse(root, err)
		}
		return nil
	})
	return tags, err
}

// GetAttributes reads the attributes of an object (GetObjectAttributes). The size among them must be c.Size, unless that is
// unknown (-1).
func GetAttributes(ctx context.Context, s s3.Session, c *s3.Call) error {
	want := c.Size
	beginSubresource(c, http.MethodGet, "attributes")
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Object-Attributes", Value: "ETag,ObjectParts,ObjectSize,StorageClass"})
	c.Parse = func(r io.Reader) error { return checkAttributes(r, want) }
	return s.Do(ctx, c)
}

// GetACL reads the access control list of an object.
func GetACL(ctx context.Context, s s3.Session, c *s3.Call) error {
	return getSubresource(ctx, s, c, "acl", isACL)
}

// PutRetention locks an object in governance mode until a time.
func PutRetention(ctx context.Context, s s3.Session, c *s3.Call, d *Document, until time.Time) error {
	d.text = append(d.text[:0], "<Retention><Mode>"+ModeGovernance+"</Mode><RetainUntilDate>"...)
	d.text = append(until.UTC().AppendFormat(d.text, time.RFC3339), "</RetainUntilDate></Retention>"...)
	beginSubresource(c, http.MethodPut, "retention")
	c.Headers = append(c.Headers, bypassGovernance) // so that a lock that is already there may become shorter
	d.attach(c)
	return s.Do(ctx, c)
}

// PutLegalHold places a legal hold on an object, or removes it.
func PutLegalHold(ctx context.Context, s s3.Session, c *s3.Call, d *Document, on bool) error {
	status := statusOff
	if on {
		status = statusOn
	}
	d.text = append(append(append(d.text[:0], "<LegalHold><Status>"...), status...), "</Status></LegalHold>"...)
	return putSubresource(ctx, s, c, "legal-hold", d)
}

var isACL = rootIs("AccessControlPolicy")

var attributesRoot, attributesOutput = []byte("GetObjectAttributesResponse"), []byte("GetObjectAttributesOutput")

// checkAttributes checks a response with attributes.
func checkAttributes(r io.Reader, size int64) error {
	buf := smallDocuments.Get().(*[smallDocument]byte)
	defer smallDocuments.Put(buf)
	n, err := readSmall(r, buf[:])
	if err != nil {
		return err
	}
	text := buf[:n]
	if root := rootOf(text); !bytes.EqualFold(root, attributesRoot) && !bytes.EqualFold(root, attributesOutput) { // servers differ
		if e := s3.BodyError(text); e != nil {
			return e
		}
		return badResponse(string(root), errors.New("not the attributes of an object"))
	}
	const tag = "ObjectSize>"
	got := int64(-1)
	if i := bytes.Index(text, []byte(tag)); i >= 0 {
		got = 0
		for _, c := range text[i+len(tag):] {
			if c < '0' || c > '9' {
				break
			}
			got = 10*got + int64(c-'0')
		}
	}
	if size >= 0 && got != size {
		return s3.Errorf(s3.ClassWrongLength, 0, "expected the attributes of %d bytes, got those of %d", size, got)
	}
	return nil
}
