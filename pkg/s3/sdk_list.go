package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markers separates the two markers in the token of a listing of versions. A key may hold it, a version may not.
const markers = "\x00"

// List reads one page of a listing.
func (s *sdkSession) List(ctx context.Context, c *Call) error {
	query := listQuery(c)
	err := s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		body, err := h.raw(ctx, x, http.MethodGet, query, nil)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		c.Entries, c.Next = c.Entries[:0], ""
		if err := readListing(body, c); err != nil {
			err.Status = x.status
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.paging.check(c)
}

func listQuery(c *Call) url.Values {
	query := url.Values{"prefix": {c.Prefix}, "encoding-type": {"url"}}
	if c.Flat {
		query.Set("delimiter", "/")
	}
	if c.MaxKeys > 0 {
		query.Set("max-keys", strconv.Itoa(c.MaxKeys))
	}
	switch {
	case c.All:
		query.Set("versions", "")
		key, version := c.Token, ""
		if i := strings.LastIndex(key, markers); i >= 0 {
			key, version = key[:i], key[i+len(markers):]
		}
		if key != "" {
			query.Set("key-marker", key)
		}
		if version != "" {
			query.Set("version-id-marker", version)
		}
	default:
		query.Set("list-type", "2")
		if c.Token != "" {
			query.Set("continuation-token", c.Token)
		}
	}
	return query
}

// DeleteMany deletes up to 1000 objects in one request. The server is asked to name only those that it did not delete.
func (s *sdkSession) DeleteMany(ctx context.Context, c *Call) error {
	body, err := deleteBody(c.Objects)
	if err != nil {
		return err
	}
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		answer, err := h.raw(ctx, x, http.MethodPost, url.Values{"delete": {""}}, body)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Close() }()
		c.Failed = c.Failed[:0]
		if err := readDeleted(answer, c); err != nil {
			err.Status = x.status
			return err
		}
		return nil
	})
}

// deleteBody makes the body of a multi-delete. It fails if XML cannot hold one of the keys: another one would be deleted.
func deleteBody(objects []ObjectID) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>`)
	for _, o := range objects {
		if !o.Batchable() {
			return nil, &Error{Class: classBadRequest, Message: oneLine(fmt.Sprintf("a multi-delete cannot name the key %q; delete it by itself", o.Key))}
		}
		b.WriteString("<Object><Key>")
		_ = xml.EscapeText(&b, []byte(o.Key)) // a Buffer does not fail
		b.WriteString("</Key>")
		if o.Version != "" {
			b.WriteString("<VersionId>")
			_ = xml.EscapeText(&b, []byte(o.Version))
			b.WriteString("</VersionId>")
		}
		b.WriteString("</Object>")
	}
	b.WriteString("</Delete>")
	return b.Bytes(), nil
}

// Batchable reports whether a multi-delete can name the object. XML 1.0 has no control characters but tab and line ends, and
// nothing that is not UTF-8.
func (o ObjectID) Batchable() bool { return isXML(o.Key) && isXML(o.Version) }

func isXML(s string) bool {
	for i, r := range s {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r < utf8.RuneError, r > 0xffff:
		case r == utf8.RuneError && strings.HasPrefix(s[i:], string(utf8.RuneError)): // it is really there
		default:
			return false
		}
	}
	return true
}
