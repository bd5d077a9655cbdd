package connect_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.pem, _, a.key = a.issue(a.cert)
	return a
}

// issue signs a certificate, that of the authority itself too.
func (a *authority) issue(c *x509.Certificate) (cert, key string, private *ecdsa.PrivateKey) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signer := a.key
	if signer == nil {
		signer = private
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &private.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	k, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: k})), private
}

// leaf is a certificate for a name.
func (a *authority) leaf(name string) (cert, key string) {
	cert, key, _ = a.issue(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	return cert, key
}

// Authorities, the name in the certificate, the own certificate and the version of TLS are what the options say, with both engines,
// and the store knows what was agreed on.
func TestTLSOptions(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	cert, key := a.leaf("store.internal")
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(a.pem))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert, MaxVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	good := s3.TLSOptions{Authorities: s3.NewPEM("ca.pem", a.pem), ServerName: "store.internal"}
	mine, mineKey := a.leaf("me")
	good.Certificate, good.Key = s3.NewPEM("me.pem", mine), s3.Secret(mineKey)
	foreign, foreignKey := other.leaf("me")
	for name, c := range map[string]struct {
		change func(*s3.TLSOptions)
		want   string // part of the error; empty: it works
	}{
		"all is right":      {func(*s3.TLSOptions) {}, ""},
		"other authorities": {func(o *s3.TLSOptions) { o.Authorities = s3.NewPEM("other.pem", other.pem) }, "unknown authority"},
		"other name":        {func(o *s3.TLSOptions) { o.ServerName = "elsewhere" }, "elsewhere"},
		"no certificate":    {func(o *s3.TLSOptions) { o.Certificate, o.Key = s3.PEM{}, "" }, "tls"},
		"certificate of another": {func(o *s3.TLSOptions) {
			o.Certificate, o.Key = s3.NewPEM("foreign.pem", foreign), s3.Secret(foreignKey)
		}, "tls"},
		"newer version": {func(o *s3.TLSOptions) { o.MinVersion = "1.3" }, "protocol version"},
	} {
		for _, engine := range []string{"lean", "std"} {
			o := good
			c.change(&o)
			store, err := connect.New(s3.Config{
				Hosts: []string{strings.TrimPrefix(server.URL, "https://")}, AccessKey: "a", SecretKey: "s", Bucket: "bucket", TLS: true, TLSOptions: o, Engine: engine,
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			err = ops.Stat(t.Context(), store.Session(0), &s3.Call{Key: "k"})
			negotiated := store.Negotiated()
			store.Close()
			switch {
			case c.want == "":
				if err != nil || len(negotiated) != 1 || !strings.HasPrefix(negotiated[0], "TLS 1.2, TLS_ECDHE_ECDSA_WITH_") {
					t.Errorf("%s, %s: %v, agreed on %q", name, engine, err, negotiated)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, %s: error %v, want %q", name, engine, err, c.want)
			}
		}
	}
}

// Options that cannot be used are refused before anything is sent, and a key is never printed.
func TestTLSOptionsInvalid(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.leaf("me")
	_, another := a.leaf("me")
	for want, o := range map[string]s3.TLSOptions{
		"--ca-file: ca.pem holds no certificate in PEM form": {Authorities: s3.NewPEM("ca.pem", "nothing")},
		"--cert-file, --key-file: tls: private key":          {Certificate: s3.NewPEM("me.pem", cert), Key: s3.Secret(another)},
		"--cert-file, --key-file: tls: failed":               {Key: s3.Secret(key)},
		`--tls-min-version: invalid value "1.1"`:             {MinVersion: "1.1"},
	} {
		c := s3.Config{TLSOptions: o}
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	text, err := json.Marshal(s3.Config{TLSOptions: s3.TLSOptions{Certificate: s3.NewPEM("me.pem", cert), Key: s3.Secret(key)}})
	if err != nil || strings.Contains(string(text), "PRIVATE") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestCertificatesAreNotInPlans: a plan says which files were used, and not what they hold. A store is not opened without the contents, and
// plans of earlier versions, which had them, can be read.
func TestCertificatesAreNotInPlans(t *testing.T) {
	a := newAuthority(t)
	cfg := s3.Config{Hosts: []string{"h"}, Bucket: "bucket", TLS: true, TLSOptions: s3.TLSOptions{Authorities: s3.NewPEM("ca.pem", a.pem), Certificate: s3.NewPEM("me.pem", a.pem)}}
	text, err := json.Marshal(cfg)
	if err != nil || strings.Contains(string(text), "BEGIN") || !strings.Contains(string(text), `"ca.pem"`) || !strings.Contains(string(text), cfg.TLSOptions.Authorities.SHA256) {
		t.Fatalf("%s, %v", text, err)
	}
	var back s3.Config
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Check(); err != nil {
		t.Errorf("a recorded plan: %v", err)
	}
	if _, err := connect.New(back); err == nil || !strings.Contains(err.Error(), "--ca-file: the contents of ca.pem (") {
		t.Errorf("opened without authorities: %v", err)
	}
	earlier, err := json.Marshal(map[string]any{"authorities": a.pem})
	if err != nil {
		t.Fatal(err)
	}
	var options s3.TLSOptions
	if err := json.Unmarshal(earlier, &options); err != nil || options.Authorities.Text != a.pem {
		t.Errorf("of an earlier version: %v, %+v", err, options)
	}
}
