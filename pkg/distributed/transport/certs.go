package transport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"warp/internal/clock"
	"warp/internal/input"
	"warp/internal/option"
)

// TLSFiles are optional certificates. They add to the token and never replace it.
type TLSFiles struct {
	Cert string // certificate chain that this side shows, PEM; together with Key
	Key  string // its key, PEM
	CA   string // authorities, PEM; one of them must have signed the other side's certificate
}

// Check is an error if a file cannot be read, or does not hold what it should.
func (f TLSFiles) Check() error {
	_, err := f.config()
	return err
}

// serverTLS is for the listening side. Without a certificate it makes one that cannot be verified and need not be: the
// token is proved within the session.
func (f TLSFiles) serverTLS() (*tls.Config, error) {
	c, err := f.config()
	if err != nil {
		return nil, err
	}
	if len(c.Certificates) == 0 {
		cert, err := ephemeral()
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{cert}
	}
	if f.CA != "" {
		c.ClientCAs, c.RootCAs, c.ClientAuth = c.RootCAs, nil, tls.RequireAndVerifyClientCert
	}
	c.SessionTicketsDisabled = true
	return c, nil
}

// dialerTLS is for the dialling side.
func (f TLSFiles) dialerTLS() (*tls.Config, error) {
	c, err := f.config()
	if err != nil {
		return nil, err
	}
	// Without an authority the certificate proves nothing. The token is proved afterwards, bound to this TLS session, so
	// that a man in the middle fails.
	c.InsecureSkipVerify = f.CA == ""
	return c, nil
}

func (f TLSFiles) config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}}
	if (f.Cert == "") != (f.Key == "") {
		return nil, option.Errorf("tls-cert, tls-key", "want both or none")
	}
	if f.Cert != "" {
		cert, err := f.pair()
		if err != nil {
			return nil, option.Wrap("tls-cert, tls-key", err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	if f.CA != "" {
		pem, err := input.Read(f.CA, input.Short)
		if err != nil {
			return nil, option.Wrap("tls-ca", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, option.Errorf("tls-ca", "%s holds no certificate in PEM form", f.CA)
		}
	}
	return c, nil
}

// pair reads the certificate and its key.
func (f TLSFiles) pair() (tls.Certificate, error) {
	cert, err := input.Read(f.Cert, input.Short)
	if err != nil {
		return tls.Certificate{}, option.Wrap("tls-cert", err)
	}
	key, err := input.Read(f.Key, input.Short)
	if err != nil {
		return tls.Certificate{}, option.Wrap("tls-key", err)
	}
	return tls.X509KeyPair(cert, key)
}

// ephemeral makes a self-signed certificate for the life of this process.
func ephemeral() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("create a certificate: %w", err)
	}
	t := x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "warp client"},
		NotBefore:    clock.Now().Add(-24 * time.Hour),
		NotAfter:     clock.Now().AddDate(10, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, &t, &t, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("create a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
