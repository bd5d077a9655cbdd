package s3

import (
	"crypto/tls"
	"crypto/x509"

	"warp/internal/option"
)

// TLSOptions say how TLS connections are made. Zero values stand for the defaults of Go.
type TLSOptions struct {
	Authorities PEM    `json:"authorities,omitzero"`  // one of these must have signed the host's certificate; none: the system's
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
		return nil, option.Invalid("tls-min-version", o.MinVersion, option.List(TLSVersions...))
	}
	if o.Authorities.Missing() && !insecure {
		return nil, option.Errorf("ca-file", "the contents of %s (%d bytes, SHA-256 %s) are not in a recording; name the file",
			o.Authorities.Name, o.Authorities.Size, o.Authorities.SHA256)
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
