package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Subresources of an object: its tags, its attributes, and so on. A request for one is a GET, PUT or DELETE of the object
// with the name of the subresource in the query. Servers that do not support one may send or overwrite the object instead, so
// responses must have the right root element.

// Document is an XML body, of a request or of a response, that a worker reuses.
type Document struct {
	text   []byte
	reader bytes.Reader
	read   func(io.Reader) error // made once
}

// parser returns a function that reads the beginning of a response.
func (d *Document) parser() func(io.Reader) error {
	if d.read == nil {
		d.read = func(r io.Reader) error {
			d.text = slices.Grow(d.text[:0], smallDocument)[:smallDocument]
			n, err := readSmall(r, d.text)
			d.text = d.text[:n]
			return err
		}
	}
	return d.read
}

// attach makes the document the body of a request.
func (d *Document) attach(c *Call) {
	sum := md5.Sum(d.text)
	d.reader.Reset(d.text)
	c.Body, c.Size = &d.reader, int64(len(d.text))
	c.Headers = append(c.Headers,
		Header{Name: "Content-Md5", Value: base64.StdEncoding.EncodeToString(sum[:])}, // which S3 demands of several
		Header{Name: "Content-Type", Value: "application/xml"})
}

// beginSubresource begins a request for a subresource of c.Key or c.Version.
func beginSubresource(c *Call, method, name string) {
	c.object(method, NoAccess)
	c.Size = -1
	c.Query = append(c.Query, Param{Name: name})
}

// getSubresource reads a subresource.
func getSubresource(ctx context.Context, s Session, c *Call, name string, parse func(io.Reader) error) error {
	beginSubresource(c, http.MethodGet, name)
	c.Parse = parse
	return s.Do(ctx, c)
}

// put replaces a subresource.
func putSubresource(ctx context.Context, s Session, c *Call, name string, d *Document) error {
	beginSubresource(c, http.MethodPut, name)
	d.attach(c)
	return s.Do(ctx, c)
}

// PutTag replaces the tags of an object by one, whose value is a number.
func PutTag(ctx context.Context, s Session, c *Call, d *Document, key string, value uint64) error {
	d.text = append(append(d.text[:0], "<Tagging><TagSet><Tag><Key>"...), key...)
	d.text = append(strconv.AppendUint(append(d.text, "</Key><Value>"...), value, 10), "</Value></Tag></TagSet></Tagging>"...)
	return putSubresource(ctx, s, c, "tagging", d)
}

// DeleteTags removes the tags of an object.
func DeleteTags(ctx context.Context, s Session, c *Call) error {
	beginSubresource(c, http.MethodDelete, "tagging")
	return s.Do(ctx, c)
}

// ReadTags returns the tags of an object.
func ReadTags(ctx context.Context, s Session, c *Call) (tags map[string]string, err error) {
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
func GetAttributes(ctx context.Context, s Session, c *Call) error {
	want := c.Size
	beginSubresource(c, http.MethodGet, "attributes")
	c.Headers = append(c.Headers, Header{Name: "X-Amz-Object-Attributes", Value: "ETag,ObjectParts,ObjectSize,StorageClass"})
	c.Parse = func(r io.Reader) error { return checkAttributes(r, want) }
	return s.Do(ctx, c)
}

// GetACL reads the access control list of an object.
func GetACL(ctx context.Context, s Session, c *Call) error {
	return getSubresource(ctx, s, c, "acl", isACL)
}

// PutRetention locks an object in governance mode until a time.
func PutRetention(ctx context.Context, s Session, c *Call, d *Document, until time.Time) error {
	d.text = append(d.text[:0], "<Retention><Mode>"+ModeGovernance+"</Mode><RetainUntilDate>"...)
	d.text = append(until.UTC().AppendFormat(d.text, time.RFC3339), "</RetainUntilDate></Retention>"...)
	beginSubresource(c, http.MethodPut, "retention")
	c.Headers = append(c.Headers, bypassGovernance) // so that a lock that is already there may become shorter
	d.attach(c)
	return s.Do(ctx, c)
}

// PutLegalHold places a legal hold on an object, or removes it.
func PutLegalHold(ctx context.Context, s Session, c *Call, d *Document, on bool) error {
	status := statusOff
	if on {
		status = statusOn
	}
	d.text = append(append(append(d.text[:0], "<LegalHold><Status>"...), status...), "</Status></LegalHold>"...)
	return putSubresource(ctx, s, c, "legal-hold", d)
}

var bypassGovernance = Header{Name: "X-Amz-Bypass-Governance-Retention", Value: "true"}

// BypassGovernance returns a session whose deletions succeed in spite of a lock in governance mode.
func BypassGovernance(s Session) Session { return bypassing{s} }

type bypassing struct{ Session }

// Explain explains why one of the objects of a multi-delete was not deleted.
func (b bypassing) Explain(c *Call, err error) error {
	if x, ok := b.Session.(interface{ Explain(*Call, error) error }); ok {
		return x.Explain(c, err)
	}
	return err
}

// Do performs a request.
func (b bypassing) Do(ctx context.Context, c *Call) error {
	if c.Method == http.MethodDelete || c.Method == http.MethodPost {
		c.Headers = append(c.Headers, bypassGovernance)
	}
	return b.Session.Do(ctx, c)
}

// Checks of responses. They allocate nothing, since they run on the clock.
var (
	isACL  = rootIs("AccessControlPolicy")
	isCopy = rootIs("CopyObjectResult")
)

// smallDocument is how much of a response is looked at.
const smallDocument = 4 << 10

var smallDocuments = sync.Pool{New: func() any { return new([smallDocument]byte) }}

// rootIs returns a check that the response is a document with one of these root elements. An error behind status 200 is returned.
func rootIs(names ...string) func(io.Reader) error {
	return func(r io.Reader) error {
		buf := smallDocuments.Get().(*[smallDocument]byte)
		defer smallDocuments.Put(buf)
		return checkRoot(r, buf, func(root []byte) bool {
			for _, name := range names {
				if string(root) == name {
					return true
				}
			}
			return false
		})
	}
}

// checkRoot reads the beginning of a document and checks its root element.
func checkRoot(r io.Reader, buf *[smallDocument]byte, is func(root []byte) bool) error {
	n, err := readSmall(r, buf[:])
	if err != nil {
		return err
	}
	return checkDocument(buf[:n], is)
}

// checkDocument checks the root element of a document.
func checkDocument(text []byte, is func(root []byte) bool) error {
	root := rootOf(text)
	if is(root) {
		return nil
	}
	if said, ok := parseErrorBody(text); ok {
		return codeError(said)
	}
	return badResponse(string(root), errors.New("not what the request was for"))
}

// readSmall fills the buffer from r, or reads r to its end.
func readSmall(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// rootOf returns the name of the root element of a document, without its namespace; nil if it has none.
func rootOf(text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '<')
		if i < 0 || i+1 == len(text) {
			return nil
		}
		text = text[i+1:]
		if text[0] != '?' && text[0] != '!' { // declaration, comment
			break
		}
	}
	end := bytes.IndexAny(text, " \t\r\n/>")
	if end < 0 {
		return nil
	}
	name := text[:end]
	return name[bytes.IndexByte(name, ':')+1:]
}

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
		if said, ok := parseErrorBody(text); ok {
			return codeError(said)
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
		return &Error{Class: ClassWrongLength, Message: fmt.Sprintf("expected the attributes of %d bytes, got those of %d", size, got)}
	}
	return nil
}
