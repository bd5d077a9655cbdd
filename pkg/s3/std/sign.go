package std

import (
	"cmp"
	"net/http"

	"github.com/minio/minio-go/v7/pkg/signer"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// sign adds the proof that the keys may perform a request.
func (c *Client) sign(req *http.Request, t *Target, q *exchange.Request) (*http.Request, error) {
	k := cmp.Or(q.Keys, c.opts.Keys.Load())
	switch k.Scheme {
	case exchange.Bearer:
		if err := k.Check(""); err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+k.Token)
		return req, nil
	case exchange.SharedKey:
		return req, exchange.SignSharedKey(req, k, clock.Wall())
	}
	if c.opts.V2 {
		if k.Token != "" {
			req.Header.Set("X-Amz-Security-Token", k.Token)
		}
		return signer.SignV2(*req, k.Access, k.Secret, t.Virtual), nil
	}
	req.Header.Set(k.V4().Payload, q.PayloadHash())
	sign := signer.SignV4
	if k.Express {
		sign = signer.SignV4Express
	}
	if k.Session { // or else the signer takes the other header
		req.Header.Set(k.TokenHeader(), k.Token)
	}
	if k.NeedsOwnSignature(req, q.Key) {
		exchange.SignV4(req, k, t.Region, clock.Wall())
	} else {
		req = sign(*req, k.Access, k.Secret, k.Token, t.Region)
	}
	if q.Chunks != nil && q.Chunks.Signed {
		head := req.Header.Get("Authorization")
		q.Chunks.Sign(newChunkSigner(req.Header.Get("X-Amz-Date"), k, t.Region), []byte(head[len(head)-exchange.SignatureLength:]))
	}
	return req, nil
}
