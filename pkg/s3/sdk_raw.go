package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// requestSigner signs requests with the SDK's signer.
type requestSigner struct {
	cfg    *Config
	region string
}

func (r requestSigner) credentials() *credentials.Credentials {
	if r.cfg.anonymous() {
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	}
	kind := credentials.SignatureV4
	if r.cfg.Signature == "S3V2" {
		kind = credentials.SignatureV2
	}
	return credentials.NewStatic(string(r.cfg.AccessKey), string(r.cfg.SecretKey), string(r.cfg.SessionToken), kind)
}

func (r requestSigner) sign(req *http.Request, virtual bool) *http.Request {
	access, secret, token := string(r.cfg.AccessKey), string(r.cfg.SecretKey), string(r.cfg.SessionToken)
	switch {
	case r.cfg.anonymous():
		return req
	case r.cfg.Signature == "S3V2":
		return signer.SignV2(*req, access, secret, virtual)
	}
	return signer.SignV4(*req, access, secret, token, r.region)
}

// raw sends a request about the bucket that minio-go offers only in part: without a context (a page of a listing), or
// hiding answers (multi-delete drops errors of some kinds). Small bodies only: they are hashed. The body of a
// successful answer must be closed.
func (h *sdkHost) raw(ctx context.Context, x *exchange, method string, query url.Values, body []byte) (io.ReadCloser, error) {
	u := h.bucket
	u.RawQuery = escapeQuery(query)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Class: classBadRequest, Message: oneLine(err.Error()), Err: err}
	}
	sum := sha256.Sum256(body)
	req.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	if len(body) > 0 {
		check := md5.Sum(body) // S3 demands it of a multi-delete
		req.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(check[:]))
		req.Header.Set("Content-Type", "application/xml")
	}
	resp, err := h.wire.RoundTrip(h.signer.sign(req, h.virtual))
	if err := x.outcome(err); err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// escapeQuery writes a query as it is signed. A plus sign is a blank to some servers only.
func escapeQuery(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }
