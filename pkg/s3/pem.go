package s3

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// PEM is a file of certificates. Its JSON says which file it was, and not what it held: a bundle of a company is long, and
// nobody else's business.
type PEM struct {
	Name   string `json:"name,omitempty"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
	Text   string `json:"-"`
}

// NewPEM returns a file with its contents; none if it is empty.
func NewPEM(name, text string) PEM {
	if text == "" {
		return PEM{}
	}
	sum := sha256.Sum256([]byte(text))
	return PEM{name, len(text), hex.EncodeToString(sum[:]), text}
}

// Missing reports whether there is a file whose contents are not known.
func (p *PEM) Missing() bool { return p.Size > 0 && p.Text == "" }

// CheckCertificates is an error if the file holds no certificate.
func (p *PEM) CheckCertificates() error {
	if !x509.NewCertPool().AppendCertsFromPEM([]byte(p.Text)) {
		return fmt.Errorf("%s holds no certificate in PEM form", p.Name)
	}
	return nil
}

// UnmarshalJSON reads the JSON of earlier versions too, which was the contents.
func (p *PEM) UnmarshalJSON(text []byte) error {
	var contents string
	if json.Unmarshal(text, &contents) == nil {
		*p = NewPEM("", contents)
		return nil
	}
	type plain PEM
	return json.Unmarshal(text, (*plain)(p))
}
