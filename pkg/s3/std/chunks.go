package std

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"warp/pkg/s3/exchange"
)

// chunkSigner signs the chunks of one body.
type chunkSigner struct {
	date, scope []byte
	key         []byte
}

// newChunkSigner returns a signer for the body of a request, which has this date.
func newChunkSigner(date string, k *exchange.Keys, region string) *chunkSigner {
	day := date[:min(len(date), len("20060102"))]
	s := &chunkSigner{
		date:  []byte(date),
		scope: []byte(day + "/" + region + "/" + k.Service() + "/aws4_request"),
		key:   []byte("AWS4" + k.Secret),
	}
	for _, part := range []string{day, region, k.Service(), "aws4_request"} {
		s.key = s.mac([]byte(part))
	}
	return s
}

func (s *chunkSigner) mac(text []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(text)
	return h.Sum(nil)
}

// Date returns the date of the request.
func (s *chunkSigner) Date() []byte { return s.date }

// Scope returns the scope of the signature of the request.
func (s *chunkSigner) Scope() []byte { return s.scope }

// AppendMAC appends the MAC of a text to b, in hex.
func (s *chunkSigner) AppendMAC(b, text []byte) ([]byte, error) {
	return hex.AppendEncode(b, s.mac(text)), nil
}
