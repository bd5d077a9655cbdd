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

// subresource is a request for a subresource.
type subresource struct {
	method, name string
	act          s3.Act
}

var (
	tagsRead       = subresource{http.MethodGet, "tagging", s3.Act{Words: "read the tags of objects", Right: "s3:GetObjectTagging"}}
	tagsPut        = subresource{http.MethodPut, "tagging", s3.Act{Words: "replace the tags of objects", Right: "s3:PutObjectTagging"}}
	tagsDeleted    = subresource{http.MethodDelete, "tagging", s3.Act{Words: "remove the tags of objects", Right: "s3:DeleteObjectTagging"}}
	attributesRead = subresource{
		http.MethodGet, "attributes", s3.Act{Words: "read the attributes of objects", Right: "s3:GetObjectAttributes"},
	}
	aclRead       = subresource{http.MethodGet, "acl", s3.Act{Words: "read the access control lists of objects", Right: "s3:GetObjectAcl"}}
	retentionRead = subresource{
		http.MethodGet, "retention", s3.Act{Words: "read until when objects are locked", Right: "s3:GetObjectRetention"},
	}
	retentionPut = subresource{
		http.MethodPut, "retention",
		s3.Act{Words: "lock objects for a time", Right: "s3:PutObjectRetention and s3:BypassGovernanceRetention"},
	}
	legalHoldRead = subresource{
		http.MethodGet, "legal-hold", s3.Act{Words: "read legal holds on objects", Right: "s3:GetObjectLegalHold"},
	}
	legalHoldPut = subresource{
		http.MethodPut, "legal-hold", s3.Act{Words: "place legal holds on objects", Right: "s3:PutObjectLegalHold"},
	}
)

// begin begins a request for a subresource of c.Key or c.Version.
func (r *subresource) begin(c *s3.Call) {
	c.BeginObject(r.method, s3.NoAccess)
	c.Size, c.Act = -1, r.act
	c.Query = append(c.Query, s3.Param{Name: r.name})
}

// get reads a subresource.
func (r *subresource) get(ctx context.Context, s s3.Session, c *s3.Call, parse func(io.Reader) error) error {
	r.begin(c)
	c.Parse = parse
	return s.Do(ctx, c)
}

// put replaces a subresource.
func (r *subresource) put(ctx context.Context, s s3.Session, c *s3.Call, d *Document) error {
	r.begin(c)
	d.attach(c)
	return s.Do(ctx, c)
}

// PutTag replaces the tags of an object by one, whose value is a number.
func (S3) PutTag(ctx context.Context, s s3.Session, c *s3.Call, d *Document, key string, value uint64) error {
	d.text = append(append(d.text[:0], "<Tagging><TagSet><Tag><Key>"...), key...)
	d.text = append(strconv.AppendUint(append(d.text, "</Key><Value>"...), value, 10), "</Value></Tag></TagSet></Tagging>"...)
	return tagsPut.put(ctx, s, c, d)
}

// DeleteTags removes the tags of an object.
func (S3) DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	tagsDeleted.begin(c)
	return s.Do(ctx, c)
}

// ReadTags returns the tags of an object.
func (S3) ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (tags map[string]string, err error) {
	err = tagsRead.get(ctx, s, c, func(r io.Reader) error {
		key := ""
		tags = map[string]string{}
		root, err := WalkXML(r, func(e Element) {
			switch {
			case e.Parent == "Tag" && e.Name == "Key":
				key = string(e.Text)
			case e.Parent == "Tag" && e.Name == "Value":
				tags[key] = string(e.Text)
			}
		})
		if err == nil && root != "Tagging" {
			err = errors.New("not the tags of an object")
		}
		if err != nil {
			return BadResponse(root, err)
		}
		return nil
	})
	return tags, err
}

// GetAttributes reads the attributes of an object (GetObjectAttributes). The size among them must be c.Size, unless that is
// unknown (-1).
func GetAttributes(ctx context.Context, s s3.Session, c *s3.Call) error {
	want := c.Size
	attributesRead.begin(c)
	c.Headers = append(c.Headers, s3.Header{Name: "X-Amz-Object-Attributes", Value: "ETag,ObjectParts,ObjectSize,StorageClass"})
	c.Parse = func(r io.Reader) error { return checkAttributes(r, want) }
	return s.Do(ctx, c)
}

// GetACL reads the access control list of an object.
func GetACL(ctx context.Context, s s3.Session, c *s3.Call) error {
	return aclRead.get(ctx, s, c, isACL)
}

// PutRetention locks an object in governance mode until a time.
func PutRetention(ctx context.Context, s s3.Session, c *s3.Call, d *Document, until time.Time) error {
	d.text = append(d.text[:0], "<Retention><Mode>"+ModeGovernance+"</Mode><RetainUntilDate>"...)
	d.text = append(until.UTC().AppendFormat(d.text, time.RFC3339), "</RetainUntilDate></Retention>"...)
	retentionPut.begin(c)
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
	return legalHoldPut.put(ctx, s, c, d)
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
		return BadResponse(string(root), errors.New("not the attributes of an object"))
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
		return s3.Errorf(s3.ClassWrongLength, 0, "expected attributes that state %d bytes, got %d", size, got)
	}
	return nil
}
