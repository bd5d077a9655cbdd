package s3

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"sync"

	"warp/internal/option"
)

// TLSOptions say how TLS connections are made. Zero values are those of Go.
type TLSOptions struct {
	Authorities PEM    `json:"authorities,omitzero"`  // one of these must have signed the host's certificate; none: those of the system
	Certificate PEM    `json:"certificate,omitzero"`  // to present to hosts that ask for one
	Key         Secret `json:"key,omitempty"`         // PEM: of that certificate
	ServerName  string `json:"server_name,omitempty"` // in the host's certificate; empty: the name of the host
	MinVersion  string `json:"min_version,omitempty"` // "1.2" (default) or "1.3"
}

// tlsVersions are the values of TLSOptions.MinVersion.
var tlsVersions = map[string]uint16{"": tls.VersionTLS12, "1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// New makes the configuration of TLS connections; insecure ones do not verify the host's certificate.
func (o *TLSOptions) New(insecure bool) (*tls.Config, error) {
	t := &tls.Config{
		InsecureSkipVerify: insecure,
		MinVersion:         tlsVersions[o.MinVersion],
		ServerName:         o.ServerName,
	}
	if t.MinVersion == 0 {
		return nil, option.Invalid("tls-min-version", o.MinVersion, "1.2 or 1.3")
	}
	if o.Authorities.Missing() && !insecure {
		return nil, option.Errorf("ca-file", "the contents of %s (%d bytes, SHA-256 %s) are not in a recording; name the file", o.Authorities.Name, o.Authorities.Size, o.Authorities.SHA256)
	}
	if o.Authorities.Text != "" {
		t.RootCAs = x509.NewCertPool()
		if err := o.Authorities.CheckCertificates(); err != nil {
			return nil, option.Wrap("ca-file", err)
		}
		t.RootCAs.AppendCertsFromPEM([]byte(o.Authorities.Text))
	}
	if o.Certificate.Text != "" || o.Key != "" {
		pair, err := tls.X509KeyPair([]byte(o.Certificate.Text), []byte(o.Key))
		if err != nil {
			return nil, option.Wrap("cert-file, key-file", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

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

var errNoHTTP2 = errors.New("the server does not offer HTTP/2")

// noteHTTP2 is note, of connections that must speak HTTP/2.
func (n *negotiated) noteHTTP2(s tls.ConnectionState) error {
	if s.NegotiatedProtocol != "h2" {
		return errNoHTTP2
	}
	return n.note(s)
}

// list returns all that was seen, in order.
func (n *negotiated) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(slices.Values(n.seen))
}
