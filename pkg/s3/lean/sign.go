package lean

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	longDate  = "20060102T150405Z"
	shortDate = len("20060102")
)

// signer makes signatures of version 4 (AWS documentation: "Authenticating Requests: Using the Authorization Header").
// What is the same for all requests of a day, or of a second, is computed once. It is not safe for concurrent use.
type signer struct {
	source *atomic.Pointer[exchange.Keys] // the keys of requests that have none of their own; they change where they are temporary
	keys   *exchange.Keys                 // those that the rest was derived from
	home   string                         // the region of targets that have none of their own
	region string                         // of the present target
	second int64                          // that date stands for
	date   []byte                         // 20130524T000000Z
	scope  []byte                         // 20130524/us-east-1/s3/aws4_request

	sha          hash.Hash
	state        encoding.BinaryUnmarshaler // sha again
	inner, outer []byte                     // states of sha after the two blocks that HMAC derives from the day's key
	sum          []byte
	text         []byte // the canonical request, then the text that is signed
}

func newSigner(keys *atomic.Pointer[exchange.Keys], region string) (*signer, error) {
	s := &signer{source: keys, home: region, region: region, second: -1, sha: sha256.New()}
	state, ok := s.sha.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, fmt.Errorf("signature: the state of this SHA-256 cannot be kept (%T)", s.sha)
	}
	s.state = state
	return s, nil
}

// at sets the time of the next signatures, the region of their target (empty: the usual one), and their keys (nil: the keys of the client).
func (s *signer) at(now time.Time, region string, keys *exchange.Keys) error {
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
	day := string(s.date[:min(len(s.date), shortDate)])
	s.date = now.UTC().AppendFormat(s.date[:0], longDate)
	if day != string(s.date[:shortDate]) || keys != s.keys || region != s.region {
		s.keys, s.region = keys, region
		if err := s.derive(); err != nil {
			return fmt.Errorf("signature: %w", err)
		}
	}
	s.second = second
	return nil
}

// derive computes what belongs to a day: the scope, and the states of SHA-256 that HMAC begins with.
func (s *signer) derive() error {
	day := string(s.date[:shortDate])
	s.scope = fmt.Appendf(s.scope[:0], "%s/%s/%s/aws4_request", day, s.region, s.keys.Service())
	key := []byte("AWS4" + s.keys.Secret)
	for _, part := range []string{day, s.region, s.keys.Service(), "aws4_request"} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	var err error
	if s.inner, err = s.padded(key, 0x36); err == nil {
		s.outer, err = s.padded(key, 0x5c)
	}
	return err
}

// padded is the state of SHA-256 after the first block of an HMAC (RFC 2104): the key, filled up with zeros, XOR pad.
func (s *signer) padded(key []byte, pad byte) ([]byte, error) {
	block := make([]byte, s.sha.BlockSize())
	copy(block, key)
	for i := range block {
		block[i] ^= pad
	}
	s.sha.Reset()
	s.sha.Write(block)
	m, ok := s.sha.(encoding.BinaryMarshaler)
	if !ok {
		return nil, fmt.Errorf("the state of this SHA-256 cannot be kept (%T)", s.sha)
	}
	return m.MarshalBinary()
}

// appendSignature signs the canonical request in s.text and appends the signature to b.
func (s *signer) appendSignature(b []byte) ([]byte, error) {
	s.sha.Reset()
	s.sha.Write(s.text)
	s.sum = s.sha.Sum(s.sum[:0])

	t := append(s.text[:0], algorithm+"\n"...)
	t = append(append(t, s.date...), '\n')
	t = append(append(t, s.scope...), '\n')
	s.text = hex.AppendEncode(t, s.sum)
	return s.AppendMAC(b, s.text)
}

// Date returns the time of the signatures, as they hold it.
func (s *signer) Date() []byte { return s.date }

// Scope returns the scope of the signatures.
func (s *signer) Scope() []byte { return s.scope }

// AppendMAC appends the MAC of a text to b, in hex.
func (s *signer) AppendMAC(b, text []byte) ([]byte, error) {
	for _, state := range [...][]byte{s.inner, s.outer} {
		if err := s.state.UnmarshalBinary(state); err != nil {
			return b, fmt.Errorf("signature: %w", err)
		}
		s.sha.Write(text)
		s.sum = s.sha.Sum(s.sum[:0])
		text = s.sum
	}
	return hex.AppendEncode(b, s.sum), nil
}

// wallEvery is how often the system's clock is read for the dates of signatures.
const wallEvery = 100 * time.Millisecond

// wallClock dates signatures. Unlike the times of operations, they follow steps of the system's clock: a server compares them
// with its own.
type wallClock struct {
	read   time.Time     // when the system's clock was read
	offset time.Duration // from clock.Now to it
}

// at converts a time of clock.Now.
func (w *wallClock) at(now time.Time) time.Time {
	if w.read.IsZero() || now.Sub(w.read) >= wallEvery {
		w.read, w.offset = now, clock.Wall().Sub(now)
	}
	return now.Add(w.offset)
}
