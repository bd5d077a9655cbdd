package lean

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"warp/pkg/s3/exchange"
)

const (
	longDate  = "20060102T150405Z"
	shortDate = len("20060102")
)

// v4Signer makes signatures of version 4 (AWS documentation: "Authenticating Requests: Using the Authorization Header").
// What is the same for all requests of a day, or of a second, is computed once. It is not safe for concurrent use.
type v4Signer struct {
	mac
	words  *exchange.V4
	source *atomic.Pointer[exchange.Keys] // the keys of requests that have none of their own; they change where they are temporary
	keys   *exchange.Keys                 // those that the rest was derived from
	home   string                         // the region of targets that have none of their own
	region string                         // of the present target
	second int64                          // that date stands for
	stamp  []byte                         // 20130524T000000Z
	scope  []byte                         // 20130524/us-east-1/s3/aws4_request
	text   []byte                         // the canonical request, then the text that is signed
}

func newV4Signer(keys *atomic.Pointer[exchange.Keys], region string) (*v4Signer, error) {
	s := &v4Signer{words: keys.Load().V4(), source: keys, home: region, region: region, second: -1}
	return s, s.init()
}

// at sets the time of the next signatures, the region of their target (empty: the usual one), and their keys (nil: the keys of the client).
func (s *v4Signer) at(now time.Time, region string, keys *exchange.Keys) error {
	if region == "" {
		region = s.home
	}
	if keys == nil {
		keys = s.source.Load()
	}
	second := now.Unix()
	if second == s.second && keys == s.keys && region == s.region {
		return nil
	}
	if keys != s.keys || region != s.region {
		if err := keys.Check(region); err != nil {
			return fmt.Errorf("signature: %w", err)
		}
	}
	day := string(s.stamp[:min(len(s.stamp), shortDate)])
	s.stamp = now.UTC().AppendFormat(s.stamp[:0], longDate)
	if day != string(s.stamp[:shortDate]) || keys != s.keys || region != s.region {
		s.keys, s.region = keys, region
		if err := s.derive(); err != nil {
			return fmt.Errorf("signature: %w", err)
		}
	}
	s.second = second
	return nil
}

// derive computes what belongs to a day: the scope, and the states of SHA-256 that HMAC begins with.
func (s *v4Signer) derive() error {
	day := string(s.stamp[:shortDate])
	s.scope = fmt.Appendf(s.scope[:0], "%s/%s/%s/%s", day, s.region, s.keys.Service(), s.words.Terminator)
	key := []byte(s.words.Prefix + s.keys.Secret)
	for _, part := range []string{day, s.region, s.keys.Service(), s.words.Terminator} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return s.setKey(key)
}

func (s *v4Signer) token() (header, value string) { return s.keys.TokenHeader(), s.keys.Token }

func (s *v4Signer) date() []byte { return s.stamp }

// begin adds to a form the headers that are part of the signature.
func (s *v4Signer) begin(f *form) {
	f.dynamic(s.words.Date, slotDate)
	f.dynamic(s.words.Payload, slotPayload)
	if name := s.keys.TokenHeader(); name != "" {
		f.dynamic(name, slotToken)
	}
}

// complete notes which headers are signed: all of them.
func (s *v4Signer) complete(f *form) {
	var names []string
	for i := range f.fields {
		names = append(names, f.fields[i].lower)
	}
	f.names = strings.Join(names, ";")
}

// sign appends the Authorization header to b.
func (s *v4Signer) sign(b []byte, f *form, at *places, q *exchange.Request) ([]byte, error) {
	t := append(append(s.text[:0], f.method...), '\n')
	t = append(append(t, b[at.path.from:at.path.to]...), '\n')
	t = append(append(t, b[at.query.from:at.query.to]...), '\n')
	for i := range f.fields {
		fd, p := &f.fields[i], at.fields[i]
		t = append(append(t, fd.lower...), ':')
		if fd.slot == slotFixed {
			t = append(t, fd.value...)
		} else {
			t = exchange.AppendCanonical(t, b[p.from:p.to])
		}
		t = append(t, '\n')
	}
	t = append(append(append(t, '\n'), f.names...), '\n')
	s.text = append(t, q.PayloadHash()...)

	b = append(append(append(b, "Authorization: "...), s.words.Algorithm...), " Credential="...)
	b = append(append(append(b, s.keys.Access...), '/'), s.scope...)
	b = append(append(b, ", SignedHeaders="...), f.names...)
	b, err := s.appendSignature(append(b, ", Signature="...))
	if err != nil {
		return nil, err
	}
	if q.Chunks != nil && q.Chunks.Signed {
		q.Chunks.Sign(s, b[len(b)-exchange.SignatureLength:])
	}
	return append(b, "\r\n"...), nil
}

// appendSignature signs the canonical request in s.text and appends the signature to b.
func (s *v4Signer) appendSignature(b []byte) ([]byte, error) {
	s.sha.Reset()
	s.sha.Write(s.text)
	s.sum = s.sha.Sum(s.sum[:0])

	t := append(append(s.text[:0], s.words.Algorithm...), '\n')
	t = append(append(t, s.stamp...), '\n')
	t = append(append(t, s.scope...), '\n')
	s.text = hex.AppendEncode(t, s.sum)
	return s.AppendMAC(b, s.text)
}

// Date returns the time of the signatures, as they hold it.
func (s *v4Signer) Date() []byte { return s.stamp }

// Scope returns the scope of the signatures.
func (s *v4Signer) Scope() []byte { return s.scope }

// AppendMAC appends the MAC of a text to b, in hex.
func (s *v4Signer) AppendMAC(b, text []byte) ([]byte, error) {
	sum, err := s.of(text)
	if err != nil {
		return b, err
	}
	return hex.AppendEncode(b, sum), nil
}
