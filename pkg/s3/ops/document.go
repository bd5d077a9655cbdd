package ops

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"slices"
	"sync"

	"warp/pkg/s3"
)

// Document is an XML body, of a request or of a response, that a worker reuses.
type Document struct {
	text   []byte
	reader bytes.Reader
	read   func(io.Reader) error // made once
}

// Build makes the body of a request of pieces of text.
func (d *Document) Build(c *s3.Call, pieces ...string) {
	d.text = d.text[:0]
	for _, p := range pieces {
		d.text = append(d.text, p...)
	}
	d.attach(c)
}

// Parse returns a function that reads the beginning of a response, which Check looks at.
func (d *Document) Parse() func(io.Reader) error { return d.parser() }

// ClearTags makes the document state no tags. With AddTag, dialects state tags that their store has in another form.
func (d *Document) ClearTags() { d.text = d.text[:0] }

// AddTag adds a tag.
func (d *Document) AddTag(key, value []byte) {
	d.text = append(append(d.text, "<Key>"...), html.EscapeString(string(key))...)
	d.text = append(append(d.text, "</Key><Value>"...), html.EscapeString(string(value))...)
	d.text = append(d.text, "</Value>"...)
}

// AllTags returns the tags that a response states.
func (d *Document) AllTags() map[string]string {
	tags := map[string]string{}
	for text := d.text; ; {
		key, after, found := textOf(text, "Key")
		if !found {
			return tags
		}
		value, _, _ := textOf(after, "Value")
		tags[html.UnescapeString(string(key))] = html.UnescapeString(string(value))
		text = after
	}
}

// Check returns an error unless the response has a root element of this name.
func (d *Document) Check(c *s3.Call, root string) error {
	err := checkDocument(d.text, func(is []byte) bool { return string(is) == root })
	if err != nil {
		e := s3.Classify(err)
		e.Status = c.Status
		return e
	}
	return nil
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
func (d *Document) attach(c *s3.Call) {
	sum := md5.Sum(d.text)
	d.reader.Reset(d.text)
	c.Body, c.Size = &d.reader, int64(len(d.text))
	c.Headers = append(c.Headers,
		s3.Header{Name: "Content-Md5", Value: base64.StdEncoding.EncodeToString(sum[:])}, // which S3 demands of several
		s3.Header{Name: "Content-Type", Value: "application/xml"})
}

// Checks of responses allocate nothing, since they run on the clock.

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
	if e := s3.BodyError(text); e != nil {
		return e
	}
	return BadResponse(string(root), errors.New("not what the request was for"))
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

// WrongDocument returns the error of a document that states what it cannot: nothing that is valid, or not what was set.
func WrongDocument(c *s3.Call, format string, args ...any) *s3.Error {
	return s3.Errorf(s3.ClassBadResponse, c.Status, "the response states "+format, args...)
}

// textOf returns the text of the first element of a name that has no attributes, whatever its namespace, and what comes after it.
func textOf(document []byte, name string) (text, after []byte, found bool) {
	for rest := document; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return nil, nil, false
		}
		rest = rest[i+1:]
		end := bytes.IndexByte(rest, '>')
		if end < 0 {
			return nil, nil, false
		}
		tag := rest[:end]
		rest = rest[end+1:]
		if string(tag[bytes.IndexByte(tag, ':')+1:]) != name || bytes.HasPrefix(tag, []byte("/")) {
			continue
		}
		text, _, found = bytes.Cut(rest, []byte("<"))
		return bytes.TrimSpace(text), rest, found
	}
}
