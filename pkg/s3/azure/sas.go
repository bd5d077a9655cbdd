package azure

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

// rights are what a SAS permits, by the method of its request.
var rights = map[string]string{http.MethodPut: "cw", http.MethodDelete: "d"}

// serviceSAS are the fields of the text that a SAS of one blob, or a version of it, signs, but for those that are left empty.
type serviceSAS struct{ rights, expiry, account, container, blob, version string }

// resource is what kind of thing the SAS is about.
func (a *serviceSAS) resource() string {
	if a.version != "" {
		return "bv"
	}
	return "b"
}

// text is what is signed. The names of container and blob are not escaped.
func (a *serviceSAS) text() string {
	path := "/blob/" + a.account + "/" + a.container + "/" + a.blob
	const start, identifier, address, protocol = "", "", "", ""
	fields := []string{a.rights, start, a.expiry, path, identifier, address, protocol, Version, a.resource(), a.version}
	return strings.Join(append(fields, make([]string, 6)...), "\n") // encryption scope, five headers of the response
}

// sign returns the parameters of the SAS, by the key of an account.
func (a *serviceSAS) sign(k *exchange.Keys, until time.Time) ([]s3.Param, error) {
	key, err := k.AccountKey()
	if err != nil {
		return nil, err
	}
	a.account, a.expiry = k.Access, until.UTC().Format(time.RFC3339)
	return []s3.Param{
		{Name: "se", Value: a.expiry},
		{Name: "sig", Value: signText(key, a.text())},
		{Name: "sp", Value: a.rights},
		{Name: "sr", Value: a.resource()},
		{Name: "sv", Value: Version},
	}, nil
}

// signText signs a text as SAS are.
func signText(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Presign adds a SAS for the blob to the query of a request.
func (d *Dialect) Presign(q *exchange.Request, c *s3.Call, k *exchange.Keys, until time.Time) error {
	a := serviceSAS{rights: cmp.Or(rights[c.Method], "r"), container: cmp.Or(c.Other, d.cfg.BucketName(c.Bucket)), blob: c.Key}
	params, err := a.sign(k, until)
	if err != nil {
		return s3.InvalidRequest(err)
	}
	q.Query = append(slices.Clone(q.Query), params...)
	return nil
}
