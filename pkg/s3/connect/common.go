package connect

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7/pkg/encrypt"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

// common is what the requests of a store have in common.
type common struct {
	headers   [s3.MakesObjects + 1]*[]s3.Header // by Access
	sourceKey []s3.Header                       // of copies: the key of SSE-C, with which their source is encrypted
	root      string                            // path before buckets
	paths     []string                          // of buckets by their number; nil: there is one
	dialect   s3.Dialect
	expect    bool // ask the server before the body of a PUT is sent
}

func newCommon(cfg *s3.Config, d s3.Dialect) (*common, error) {
	m := &common{dialect: d, root: cfg.Root, expect: cfg.Expect}
	for _, name := range cfg.BucketNames() {
		m.paths = append(m.paths, cfg.Root+"/"+name)
	}
	sse, err := m.newCustomerKey(cfg.Encrypt)
	if err != nil {
		return nil, fmt.Errorf("SSE-C key: %w", err)
	}
	made := slices.Clone(sse)
	for _, h := range cfg.Headers {
		if name := d.Upload(h.Name); name != "" {
			made = append(made, s3.Header{Name: name, Value: h.Value})
		}
	}
	made = append(made, cfg.Uploads.EncryptionHeaders()...)
	if !s3.HasHeader(made, "Content-Type") {
		made = append(made, s3.Header{Name: "Content-Type", Value: "application/octet-stream"})
	}
	m.headers[s3.ReadsWrites], m.headers[s3.MakesObjects] = &sse, &made
	if cfg.Uploads.Checksum != "" {
		m.headers[s3.JoinsParts] = &sse
	}
	if common := d.Common(); len(common) > 0 {
		for i, of := range m.headers {
			all := common
			if of != nil {
				all = append(slices.Clone(common), *of...)
			}
			m.headers[i] = &all
		}
	}
	return m, nil
}

// newCustomerKey draws the key of SSE-C and returns its headers; nil if nothing is encrypted with one. It notes the headers for the source
// of copies.
func (m *common) newCustomerKey(encrypted bool) (headers []s3.Header, err error) {
	if !encrypted {
		return nil, nil
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	ssec, err := encrypt.NewSSEC(key)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	ssec.Marshal(h)
	for name, values := range h {
		headers = append(headers, s3.Header{Name: name, Value: values[0]})
		m.sourceKey = append(m.sourceKey, s3.Header{Name: strings.Replace(name, "X-Amz-", "X-Amz-Copy-Source-", 1), Value: values[0]})
	}
	return headers, nil
}

// checkCall returns an error for a call that is no request.
func checkCall(c *s3.Call) error {
	switch {
	case c.Body != nil && c.Size < 0, c.Method == http.MethodPut && c.Body == nil && c.Size > 0:
		return &s3.Error{Class: s3.ClassBadRequest, Message: "a body and its size must be given together"}
	case c.Auth == s3.AuthForm && (c.If != (s3.Conditions{}) || c.Source != ""):
		return &s3.Error{Class: s3.ClassBadRequest, Message: "a form has no condition (If-Match, If-None-Match), and no source to copy"}
	case c.Offset < 0:
		return s3.Errorf(s3.ClassBadRequest, 0, "a range cannot begin at %d", c.Offset)
	}
	return nil
}

// request makes the request of a call; headers is memory for it, which it returns.
func (m *common) request(q *exchange.Request, c *s3.Call, headers []s3.Header) []s3.Header {
	if len(c.Query) > 1 {
		slices.SortStableFunc(c.Query, s3.Param.Compare)
	}
	*q = exchange.Request{
		Method:  c.Method,
		Key:     c.Key,
		Query:   c.Query,
		Headers: c.Headers,
		Common:  m.headers[c.Access],
		Payload: c.Payload,
		Expect:  m.expect && uploads(c),
		Path:    c.Path,
	}
	if c.Bucket > 0 {
		q.Bucket = m.paths[c.Bucket]
	}
	if c.Other != "" {
		q.Bucket = m.root + "/" + c.Other
	}
	if c.Method == http.MethodGet {
		q.Offset, q.Length = c.Offset, c.Length
	}
	if c.Body != nil {
		q.Body, q.Size = c.Body, c.Size
	}
	m.dialect.Address(q, c)
	if c.If != (s3.Conditions{}) || c.Source != "" {
		headers = m.addHeaders(headers[:0], c)
		q.Headers = headers
	}
	return headers
}

// uploads reports whether a request is an upload, which some stores have as a POST. Forms do not count: a browser asks for nothing first.
func uploads(c *s3.Call) bool {
	return c.Method == http.MethodPut || c.Method == http.MethodPost && c.Access == s3.MakesObjects && c.Auth == s3.AuthHeader
}

// addHeaders adds the headers of a call, its conditions, and the source of a copy.
func (m *common) addHeaders(all []s3.Header, c *s3.Call) []s3.Header {
	all = append(all, c.Headers...)
	if all = m.dialect.Headers(all, c); c.Source != "" {
		all = append(all, m.sourceKey...)
	}
	return all
}
