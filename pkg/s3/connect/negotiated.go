package connect

import (
	"crypto/tls"
	"fmt"
	"slices"
	"sync"

	"warp/pkg/s3"
)

// negotiated collects what TLS connections agreed on.
type negotiated struct {
	mu   sync.Mutex
	seen []string
}

// note is a tls.Config.VerifyConnection that accepts all that was accepted before.
func (n *negotiated) note(s tls.ConnectionState) error {
	text := fmt.Sprintf("%s, %s, %s", tls.VersionName(s.Version), tls.CipherSuiteName(s.CipherSuite), s.CurveID)
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.seen, text) {
		n.seen = append(n.seen, text)
	}
	return nil
}

// noteHTTP2 is note, of connections that must speak HTTP/2.
func (n *negotiated) noteHTTP2(s tls.ConnectionState) error {
	if s.NegotiatedProtocol != "h2" {
		return s3.ErrNoHTTP2
	}
	return n.note(s)
}

// list returns all that was seen, in order.
func (n *negotiated) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(slices.Values(n.seen))
}
