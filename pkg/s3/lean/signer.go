package lean

import (
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// signer proves that requests may be performed. A client has one, of the scheme of its keys.
type signer interface {
	// at sets the time of the next requests, the region of their target (empty: the usual one), and their keys (nil: the keys of the client).
	at(now time.Time, region string, keys *exchange.Keys) error
	// date is the value of slotDate.
	date() []byte
	// token is the header of a token, which forms differ in, and the value of slotToken.
	token() (header, value string)
	// begin adds to a form the headers that proofs need, complete what else can be known of them once all headers are.
	begin(f *form)
	complete(f *form)
	// sign appends the header that cannot be a field, because it depends on the others, to the request.
	sign(b []byte, f *form, at *places, q *exchange.Request) ([]byte, error)
}

// newSigner returns the signer of the scheme of keys, which a replacement of the keys does not change.
func newSigner(keys *atomic.Pointer[exchange.Keys], region string) (signer, error) {
	switch keys.Load().Scheme {
	case exchange.SharedKey:
		return newSharedKeySigner(keys)
	case exchange.Bearer:
		return &bearer{source: keys}, nil
	default:
		return newV4Signer(keys, region)
	}
}

// bearer sends a token.
type bearer struct {
	source *atomic.Pointer[exchange.Keys]
	keys   *exchange.Keys
}

func (s *bearer) at(_ time.Time, _ string, keys *exchange.Keys) error {
	if keys == nil {
		keys = s.source.Load()
	}
	if keys != s.keys {
		if err := keys.Check(""); err != nil {
			return err
		}
		s.keys = keys
	}
	return nil
}

func (s *bearer) date() []byte { return nil }

func (s *bearer) token() (header, value string) { return "Authorization", s.keys.Token }

func (s *bearer) begin(f *form) {
	f.dynamic("Authorization", slotToken)
	f.fields[len(f.fields)-1].line += "Bearer "
}

func (s *bearer) complete(*form) {}

func (s *bearer) sign(b []byte, _ *form, _ *places, _ *exchange.Request) ([]byte, error) {
	return b, nil
}

// mac computes HMAC-SHA256 (RFC 2104). The states of SHA-256 after the first blocks, which follow from the key, are kept.
type mac struct {
	sha          hash.Hash
	state        encoding.BinaryUnmarshaler // sha again
	inner, outer []byte
	sum          []byte
}

func (m *mac) init() error {
	m.sha = sha256.New()
	state, ok := m.sha.(encoding.BinaryUnmarshaler)
	if !ok {
		return fmt.Errorf("signature: the state of this SHA-256 cannot be kept (%T)", m.sha)
	}
	m.state = state
	return nil
}

func (m *mac) setKey(key []byte) (err error) {
	if len(key) > m.sha.BlockSize() {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	if m.inner, err = m.padded(key, 0x36); err == nil {
		m.outer, err = m.padded(key, 0x5c)
	}
	return err
}

// padded is the state of SHA-256 after the first block of an HMAC: the key, filled up with zeros, XOR pad.
func (m *mac) padded(key []byte, pad byte) ([]byte, error) {
	block := make([]byte, m.sha.BlockSize())
	copy(block, key)
	for i := range block {
		block[i] ^= pad
	}
	m.sha.Reset()
	m.sha.Write(block)
	state, ok := m.sha.(encoding.BinaryMarshaler)
	if !ok {
		return nil, fmt.Errorf("the state of this SHA-256 cannot be kept (%T)", m.sha)
	}
	return state.MarshalBinary()
}

// of returns the MAC of a text, valid until the next one.
func (m *mac) of(text []byte) ([]byte, error) {
	for _, state := range [...][]byte{m.inner, m.outer} {
		if err := m.state.UnmarshalBinary(state); err != nil {
			return nil, fmt.Errorf("signature: %w", err)
		}
		m.sha.Write(text)
		m.sum = m.sha.Sum(m.sum[:0])
		text = m.sum
	}
	return m.sum, nil
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
