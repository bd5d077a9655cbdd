package s3

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// Auth is how a request proves that it may be performed.
type Auth uint8

// Ways to authenticate a request. Those but the first are signed before the request starts, so that signing is no part of its time.
const (
	AuthHeader Auth = iota // by a header
	AuthQuery              // by parameters of its URL, as in links that are handed on (presigned)
	AuthForm               // by the policy of a form, as browsers upload files
)

// signatureLife is how long a signature of AuthQuery and AuthForm is valid.
const signatureLife = 15 * time.Minute

// Post uploads Body as a form.
func Post(ctx context.Context, s Session, c *Call) error {
	c.Begin(http.MethodPost, NoAccess)
	c.Auth = AuthForm
	return s.Do(ctx, c)
}

// authorize signs the request for a host, unless the engine does.
func authorize(s *session, c *Call, host int) error {
	if c.Auth == AuthHeader || s.keys == nil && c.Auth == AuthQuery {
		return nil
	}
	if s.req.Chunks != nil && s.req.Chunks.Signed || c.Payload != "" {
		return &Error{Class: ClassBadRequest, Message: "a request that is signed ahead cannot have its contents signed"}
	}
	s.req.Unsigned = true
	e := s.store.endpoints[host]
	if c.Auth == AuthForm {
		return setForm(s, c, e)
	}
	return presign(s, c, e)
}

// presign adds the signature to the query.
func presign(s *session, c *Call, e *endpoint) error {
	u := (&exchange.Request{Bucket: s.req.Bucket, Key: c.Key, Query: c.Query}).URL(e.bucket)
	req := http.Request{Method: c.Method, URL: u, Host: u.Host, Header: http.Header{}}
	for _, h := range headersOf(&s.req) {
		value, err := h.Sent()
		if err != nil {
			return invalidRequest(err)
		}
		req.Header.Set(h.Name, value)
	}
	k := s.keys.Load()
	values, err := presigned(&req, c.Key, k, e.region)
	if err != nil {
		return invalidRequest(err)
	}
	s.req.Query = s.req.Query[:0:0]
	for name, all := range values {
		s.req.Query = append(s.req.Query, Param{Name: name, Value: all[0]})
	}
	slices.SortFunc(s.req.Query, compareParams)
	return nil
}

// presigned returns the query of a request with its signature.
func presigned(req *http.Request, key string, k *exchange.Keys, region string) (url.Values, error) {
	if exchange.NeedsOwnSignature(req, key) {
		return exchange.PresignV4(req, k, region, clock.Wall(), signatureLife), nil
	}
	signed := signer.PreSignV4(*req, k.Access, k.Secret, k.Token, region, int64(signatureLife.Seconds()))
	return url.ParseQuery(signed.URL.RawQuery)
}

// headersOf returns the headers of a request, its own in place of common ones of the same name.
func headersOf(q *exchange.Request) (all []Header) {
	if q.Common != nil {
		all = append(all, *q.Common...)
	}
	for _, h := range q.Headers {
		all = slices.DeleteFunc(all, func(o Header) bool { return strings.EqualFold(o.Name, h.Name) })
	}
	return append(all, q.Headers...)
}

// setForm makes the request a form with a signed policy. Headers of uploads are fields of it.
func setForm(s *session, c *Call, e *endpoint) error {
	if s.describer != nil {
		return invalidRequest(errSignedAhead)
	}
	fields := [][2]string{{"key", c.Key}}
	for _, p := range c.Form {
		fields = append(fields, [2]string{p.Name, p.Value})
	}
	for _, h := range *s.store.common[MakesObjects] {
		name := strings.ToLower(h.Name)
		switch name {
		case "x-amz-tagging":
			return &Error{Class: ClassBadRequest, Message: "tags cannot be given with a form"}
		case "x-amz-acl":
			name = "acl"
		}
		fields = append(fields, [2]string{name, h.Value})
	}
	now := clock.Wall().UTC()
	if s.keys != nil {
		k := s.keys.Load()
		date := now.Format("20060102T150405Z")
		fields = append(fields, [][2]string{
			{"x-amz-algorithm", "AWS4-HMAC-SHA256"}, {"x-amz-credential", signer.GetCredential(k.Access, e.region, now, signer.ServiceTypeS3)}, {"x-amz-date", date},
		}...)
		if k.Token != "" {
			fields = append(fields, [2]string{"x-amz-security-token", k.Token})
		}
		conditions := []any{map[string]string{"bucket": s.store.cfg.BucketName(c.Bucket)}, []any{"content-length-range", c.Size, c.Size}}
		for _, f := range fields {
			conditions = append(conditions, map[string]string{f[0]: f[1]})
		}
		policy, err := json.Marshal(map[string]any{"expiration": now.Add(signatureLife).Format("2006-01-02T15:04:05.000Z"), "conditions": conditions})
		if err != nil {
			return invalidRequest(err)
		}
		text := base64.StdEncoding.EncodeToString(policy)
		fields = append(fields, [2]string{"policy", text}, [2]string{"x-amz-signature", signer.PostPresignSignatureV4(text, now, k.Secret, e.region)})
	}
	body, contentType, err := newFormBody(fields, c.Body, c.Size)
	if err != nil {
		return invalidRequest(err)
	}
	s.req.Key = ""
	s.req.Headers = append(slices.Clone(c.Headers), Header{Name: "Content-Type", Value: contentType})
	s.req.Body, s.req.Size = body, body.length()
	return nil
}

// formBody is a form whose last field is a file.
type formBody struct {
	head, tail string
	file       io.ReaderAt
	size       int64
}

func newFormBody(fields [][2]string, file io.ReaderAt, size int64) (*formBody, string, error) {
	var b strings.Builder
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		if err := w.WriteField(f[0], f[1]); err != nil {
			return nil, "", err
		}
	}
	if _, err := w.CreateFormFile("file", "file"); err != nil {
		return nil, "", err
	}
	return &formBody{b.String(), fmt.Sprintf("\r\n--%s--\r\n", w.Boundary()), file, size}, w.FormDataContentType(), nil
}

func (f *formBody) length() int64 { return int64(len(f.head)) + f.size + int64(len(f.tail)) }

// ReadAt reads from the form.
func (f *formBody) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		head, end := int64(len(f.head)), int64(len(f.head))+f.size
		at := off + int64(n)
		switch {
		case at < head:
			n += copy(p[n:], f.head[at:])
		case at < end:
			k, err := f.file.ReadAt(p[n:min(int64(len(p)), int64(n)+end-at)], at-head)
			n += k
			if k == 0 && err != nil {
				return n, err
			}
		case at < f.length():
			n += copy(p[n:], f.tail[at-end:])
		default:
			return n, io.EOF
		}
	}
	return n, nil
}
