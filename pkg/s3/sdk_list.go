package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// markers separates the two markers in the token of a listing of versions. XML, and so S3, knows no such character.
const markers = "\x00"

// List reads one page of a listing.
func (s *sdkSession) List(ctx context.Context, c *Call) error {
	query := listQuery(c)
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
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
		key, version, _ := strings.Cut(c.Token, markers)
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
	body := deleteBody(c.Objects)
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

func deleteBody(objects []ObjectID) []byte {
	var b bytes.Buffer
	b.WriteString(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>`)
	for _, o := range objects {
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
	return b.Bytes()
}
