package ops

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"warp/pkg/s3"
)

// Element is what WalkXML found: a leaf element with its text, or the end of one that holds others.
// The text is valid only during the call.
type Element struct {
	Parent, Name string
	Text         []byte
	Attributes   []xml.Attr // of a leaf
}

// WalkXML reads a document by tokens, which is several times cheaper than decoding by reflection, and calls each at
// the end of every element. It gives the name of the root. Namespaces are not looked at: servers differ in them. A document
// that is longer or deeper than S3's can be is an error.
func WalkXML(r io.Reader, each func(Element)) (root string, err error) {
	d := xml.NewDecoder(http.MaxBytesReader(nil, io.NopCloser(r), maxDocument))
	var (
		path []string
		text []byte
		leaf bool
		attr []xml.Attr
	)
	for {
		t, err := d.RawToken()
		if err == io.EOF && root != "" && len(path) == 0 {
			return root, nil
		}
		if err == io.EOF && root == "" {
			return root, errors.New("not XML")
		}
		if err == io.EOF {
			return root, io.ErrUnexpectedEOF
		}
		if err != nil {
			return root, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if root == "" {
				root = t.Name.Local
			}
			if len(path) == maxDepth {
				return root, fmt.Errorf("more than %d elements inside each other", maxDepth)
			}
			path, leaf, attr = append(path, t.Name.Local), true, t.Attr
			text = text[:0]
		case xml.CharData:
			text = append(text, t...)
		case xml.EndElement:
			if len(path) == 0 || path[len(path)-1] != t.Name.Local {
				return root, fmt.Errorf("</%s> closes nothing", t.Name.Local)
			}
			path = path[:len(path)-1]
			e := Element{Name: t.Name.Local}
			if len(path) > 0 {
				e.Parent = path[len(path)-1]
			}
			if leaf {
				e.Text, e.Attributes = text, attr
			}
			each(e)
			leaf = false
		}
	}
}

// BadResponse is the error of a response that is not what was asked for.
func BadResponse(root string, err error) *s3.Error {
	if errors.As(err, new(*http.MaxBytesError)) {
		err = fmt.Errorf("the response has more than %d MiB; S3 sends at most %d entries at once", maxDocument>>20, MaxEntries)
		return &s3.Error{Class: s3.ClassBadResponse, Message: err.Error(), Err: err}
	}
	if e := s3.Classify(err); e.Class != s3.ClassNetwork { // what went wrong was reading, not the text
		return e
	}
	return &s3.Error{Class: s3.ClassBadResponse, Message: s3.OneLine(fmt.Sprintf("<%s>: %v", root, err)), Err: err}
}

const (
	// MaxEntries is the most that S3 lists in a page, or deletes in a request.
	MaxEntries = 1000
	// maxDocument is the longest XML document that is read: room for that many entries of 16 KiB; a key of 1,024
	// bytes takes 6 KiB when each byte is escaped.
	maxDocument = MaxEntries * 16 << 10
	// maxDepth is how deep its elements may be nested. S3's are four deep.
	maxDepth = 32
)

// EscapeXML escapes text for a document.
func EscapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
