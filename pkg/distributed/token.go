package distributed

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
)

// MinToken is the least length of a token, in bytes.
const MinToken = 16

// CheckToken tells what is wrong with a token. No token at all is fine here.
func CheckToken(token string) error {
	if token != "" && len(token) < MinToken {
		return fmt.Errorf("the token has %d characters, fewer than the %d that are needed; make one with: openssl rand -base64 32", len(token), MinToken)
	}
	return nil
}

const (
	nonceSize = 32
	// exporterLabel is for keying material of a TLS session; RFC 5705 wants experimental labels to begin like this.
	exporterLabel = "EXPERIMENTAL warp distributed"
)

// role is a side of a connection. Each proves with a key of its own, so that no proof can be sent back as an answer.
type role string

const (
	roleCoordinator role = "coordinator proof 1"
	roleClient      role = "client proof 1"
)

// keys are derived from the token (RFC 5869). Without a token they are known to everybody and prove nothing.
type keys struct{ coordinator, client []byte }

func newKeys(token string) (k keys, err error) {
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
	k.coordinator, k.client = derive(roleCoordinator), derive(roleClient)
	return k, err
}

func (k keys) of(r role) []byte {
	if r == roleClient {
		return k.client
	}
	return k.coordinator
}

// proof is what a side sends to show that it knows the token. It holds for one TLS session only: someone in the middle
// has two of them, and one that was recorded is over.
func (k keys) proof(r role, state *tls.ConnectionState, clientNonce, coordinatorNonce []byte) ([]byte, error) {
	if len(clientNonce) != nonceSize || len(coordinatorNonce) != nonceSize {
		return nil, fmt.Errorf("a nonce has not %d bytes", nonceSize)
	}
	session, err := state.ExportKeyingMaterial(exporterLabel, nil, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("bind the proof to the TLS session: %w", err)
	}
	h := hmac.New(sha256.New, k.of(r))
	h.Write(session)
	h.Write([]byte{protocol})
	h.Write(clientNonce)
	h.Write(coordinatorNonce)
	return h.Sum(nil), nil
}

// check compares a proof with the true one, in a time that does not depend on where they differ.
func (k keys) check(r role, state *tls.ConnectionState, clientNonce, coordinatorNonce, mac []byte) (bool, error) {
	want, err := k.proof(r, state, clientNonce, coordinatorNonce)
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
