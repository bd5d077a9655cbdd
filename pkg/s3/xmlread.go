package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// element is what xmlWalk found: a leaf element with its text, or the end of one that holds others.
// The text is valid only during the call.
type element struct {
	parent, name string
	text         []byte
}

// xmlWalk reads a document by tokens, which is several times cheaper than decoding by reflection, and calls each at
// the end of every element. It gives the name of the root. Namespaces are not looked at: servers differ in them. A document
// that is longer or deeper than S3's can be is an error.
func xmlWalk(r io.Reader, each func(element)) (root string, err error) {
	d := xml.NewDecoder(&limited{r, maxDocument})
	var (
		path []string
		text []byte
		leaf bool
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
			path, leaf = append(path, t.Name.Local), true
			text = text[:0]
		case xml.CharData:
			text = append(text, t...)
		case xml.EndElement:
			if len(path) == 0 || path[len(path)-1] != t.Name.Local {
				return root, fmt.Errorf("</%s> closes nothing", t.Name.Local)
			}
			path = path[:len(path)-1]
			e := element{name: t.Name.Local}
			if len(path) > 0 {
				e.parent = path[len(path)-1]
			}
			if leaf {
				e.text = text
			}
			each(e)
			leaf = false
		}
	}
}

// badAnswer is the error of an answer that is not what was asked for.
func badAnswer(root string, err error) *Error {
	if e := toError(err); e.Class != classNetwork { // what went wrong was reading, not the text
		return e
	}
	return &Error{Class: classBadAnswer, Message: oneLine(fmt.Sprintf("<%s>: %v", root, err)), Err: err}
}

// listing gathers the parts of a page of a listing, of objects or of versions.
type listing struct {
	call                                    *Call
	entry                                   Entry
	truncated                               bool
	token, keyMarker, versionMarker, encode string
}

func (l *listing) element(e element) {
	switch e.parent {
	case "Contents", "Version", "DeleteMarker":
		switch e.name {
		case "Key":
			l.entry.Key = string(e.text)
		case "VersionId":
			l.entry.Version = string(e.text)
		case "Size":
			l.entry.Size, _ = strconv.ParseInt(strings.TrimSpace(string(e.text)), 10, 64) // a marker has none
		}
	case "ListBucketResult", "ListVersionsResult":
		switch e.name {
		case "Contents", "Version", "DeleteMarker":
			l.entry.Marker = e.name == "DeleteMarker"
			if len(l.call.Entries) <= MaxEntries { // with one more it is wrong
				l.call.Entries = append(l.call.Entries, l.entry)
			}
			l.entry = Entry{}
		case "IsTruncated":
			l.truncated = strings.EqualFold(strings.TrimSpace(string(e.text)), "true")
		case "NextContinuationToken":
			l.token = string(e.text)
		case "NextKeyMarker":
			l.keyMarker = string(e.text)
		case "NextVersionIdMarker":
			l.versionMarker = string(e.text)
		case "EncodingType":
			l.encode = string(e.text)
		}
	}
}

// readListing reads a page into c.Entries and c.Next. Prefixes that were rolled up (Call.Flat) are left out. KeyCount
// is not looked at: servers count differently.
func readListing(r io.Reader, c *Call) *Error {
	l := listing{call: c}
	root, err := xmlWalk(r, l.element)
	if err != nil {
		return badAnswer(root, err)
	}
	if root != "ListBucketResult" && root != "ListVersionsResult" {
		return badAnswer(root, errors.New("not a listing"))
	}
	if strings.EqualFold(l.encode, "url") {
		if err := l.unescape(); err != nil {
			return badAnswer(root, err)
		}
	}
	if err := checkPage(c); err != nil {
		return err
	}
	if !l.truncated {
		return nil
	}
	next := l.token
	if c.All {
		if n := len(c.Entries); l.keyMarker == "" && n > 0 {
			l.keyMarker, l.versionMarker = c.Entries[n-1].Key, c.Entries[n-1].Version
		}
		if l.keyMarker != "" {
			next = l.keyMarker + markers + l.versionMarker
		}
	}
	if next == "" {
		return badAnswer(root, errors.New("the server says that there is more, but not where"))
	}
	if next == c.Token {
		return badAnswer(root, errors.New("the next page would be this one again"))
	}
	c.Next = next
	return nil
}

// unescape decodes keys that the server escaped because it was asked to (encoding-type=url).
func (l *listing) unescape() error {
	var err error
	for i := range l.call.Entries {
		e := &l.call.Entries[i]
		if e.Key, err = url.QueryUnescape(e.Key); err != nil {
			return err
		}
	}
	l.keyMarker, err = url.QueryUnescape(l.keyMarker)
	return err
}
