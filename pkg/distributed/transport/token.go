package transport

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
)

// minToken is the least length of a token, in bytes.
const minToken = 16

// CheckToken checks the length of a token. No token at all is valid.
func CheckToken(token string) error {
	if token != "" && len(token) < minToken {
		return fmt.Errorf("the token has %d characters, want at least %d; make one with: openssl rand -base64 32", len(token), minToken)
	}
	return nil
}

const (
	nonceSize = 32
	// exporterLabel is for keying material of a TLS session; RFC 5705 wants experimental labels to begin like this.
	exporterLabel = "EXPERIMENTAL warp distributed"
)

// role is a side of a connection. Each has a key of its own, so that a proof cannot be reflected.
type role string

const (
	roleDialer role = "coordinator proof 1"
	roleServer role = "client proof 1"
)

// keys are derived from the token (RFC 5869). Without a token they are public and prove nothing.
type keys struct {
	version        int // of the protocol, which proofs cover
	dialer, server []byte
}

func newKeys(token string, version int) (k keys, err error) {
	k.version = version
	if err = CheckToken(token); err != nil {
		return k, err
	}
	derive := func(r role) []byte {
		b, e := hkdf.Key(sha256.New, []byte(token), []byte("warp distributed"), string(r), sha256.Size)
		if e != nil {
			err = fmt.Errorf("derive a key from the token: %w", e)
		}
		return b
	}
	k.dialer, k.server = derive(roleDialer), derive(roleServer)
	return k, err
}

func (k keys) of(r role) []byte {
	if r == roleServer {
		return k.server
	}
	return k.dialer
}

// proof shows that a side knows the token. It is valid for one TLS session only: a man in the middle has two of them, and a
// recorded one is over.
func (k keys) proof(r role, state *tls.ConnectionState, serverNonce, dialerNonce []byte) ([]byte, error) {
	if len(serverNonce) != nonceSize || len(dialerNonce) != nonceSize {
		return nil, fmt.Errorf("invalid nonce: want %d bytes", nonceSize)
	}
	session, err := state.ExportKeyingMaterial(exporterLabel, nil, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("bind the proof to the TLS session: %w", err)
	}
	h := hmac.New(sha256.New, k.of(r))
	h.Write(session)
	h.Write([]byte{byte(k.version)})
	h.Write(serverNonce)
	h.Write(dialerNonce)
	return h.Sum(nil), nil
}

// check compares a proof with the expected one in constant time.
func (k keys) check(r role, state *tls.ConnectionState, serverNonce, dialerNonce, mac []byte) (bool, error) {
	want, err := k.proof(r, state, serverNonce, dialerNonce)
	if err != nil {
		return false, err
	}
	return hmac.Equal(want, mac), nil
}

// newNonce is fresh randomness.
func newNonce() []byte {
	b := make([]byte, nonceSize)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return b
}
