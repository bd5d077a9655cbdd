package connect

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/hosts"
)

// signatureLife is how long the signature of a request that is signed ahead is valid: of AuthQuery and AuthForm.
const signatureLife = 15 * time.Minute

// presigner is a dialect that signs URLs in its own way.
type presigner interface {
	Presign(q *exchange.Request, c *s3.Call, k *exchange.Keys, until time.Time) error
}

var errSignedAhead = errors.New("forms and signed URLs have no --checksum, --md5, --payload or random metadata")

// presign adds the signature to the query of a request.
func presign(q *exchange.Request, c *s3.Call, e *hosts.Endpoint, k *exchange.Keys) error {
	u := (&exchange.Request{Bucket: q.Bucket, Key: c.Key, Query: c.Query}).URL(e.Bucket)
	req := http.Request{Method: c.Method, URL: u, Host: u.Host, Header: http.Header{}}
	for _, h := range headersOf(q) {
		value, err := h.Sent()
		if err != nil {
			return s3.InvalidRequest(err)
		}
		req.Header.Set(h.Name, value)
	}
	values, err := presigned(&req, c.Key, k, e.Region)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	q.Query = nil
	for name, all := range values {
		q.Query = append(q.Query, s3.Param{Name: name, Value: all[0]})
	}
	slices.SortFunc(q.Query, s3.Param.Compare)
	return nil
}

// presigned returns the query of a request with its signature.
func presigned(req *http.Request, key string, k *exchange.Keys, region string) (url.Values, error) {
	if k.NeedsOwnSignature(req, key) {
		return exchange.PresignV4(req, k, region, clock.Wall(), signatureLife), nil
	}
	signed := signer.PreSignV4(*req, k.Access, k.Secret, k.Token, region, int64(signatureLife.Seconds()))
	return url.ParseQuery(signed.URL.RawQuery)
}

// headersOf returns the headers of a request, its own in place of common ones of the same name.
func headersOf(q *exchange.Request) (all []s3.Header) {
	if q.Common != nil {
		all = append(all, *q.Common...)
	}
	for _, h := range q.Headers {
		all = slices.DeleteFunc(all, func(o s3.Header) bool { return strings.EqualFold(o.Name, h.Name) })
	}
	return append(all, q.Headers...)
}

// formFields returns the fields of a form, its signature aside. Headers of uploads are fields.
func formFields(c *s3.Call, headers []s3.Header) ([]s3.Param, error) {
	fields := append([]s3.Param{{Name: "key", Value: c.Key}}, c.Form...)
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		switch name {
		case "x-amz-tagging":
			return nil, &s3.Error{Class: s3.ClassBadRequest, Message: "tags cannot be given with a form"}
		case "x-amz-acl":
			name = "acl"
		}
		fields = append(fields, s3.Param{Name: name, Value: h.Value})
	}
	return fields, nil
}

// signForm adds the policy of a form, for a file of some size, and its signature.
func signForm(fields []s3.Param, size int64, bucket, region string, k *exchange.Keys) ([]s3.Param, error) {
	now := clock.Wall().UTC()
	fields = append(fields,
		s3.Param{Name: "x-amz-algorithm", Value: "AWS4-HMAC-SHA256"},
		s3.Param{Name: "x-amz-credential", Value: signer.GetCredential(k.Access, region, now, signer.ServiceTypeS3)},
		s3.Param{Name: "x-amz-date", Value: now.Format("20060102T150405Z")})
	if k.Token != "" {
		fields = append(fields, s3.Param{Name: "x-amz-security-token", Value: k.Token})
	}
	conditions := []any{map[string]string{"bucket": bucket}, []any{"content-length-range", size, size}}
	for _, f := range fields {
		conditions = append(conditions, map[string]string{f.Name: f.Value})
	}
	policy, err := json.Marshal(map[string]any{
		"expiration": now.Add(signatureLife).Format("2006-01-02T15:04:05.000Z"),
		"conditions": conditions,
	})
	if err != nil {
		return nil, err
	}
	text := base64.StdEncoding.EncodeToString(policy)
	signature := signer.PostPresignSignatureV4(text, now, k.Secret, region)
	return append(fields, s3.Param{Name: "policy", Value: text}, s3.Param{Name: "x-amz-signature", Value: signature}), nil
}
