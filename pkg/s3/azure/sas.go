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

// serviceSAS are the fields of the text that a SAS of one blob signs, but for those that are left empty.
type serviceSAS struct{ rights, expiry, account, container, blob string }

// text is what is signed. The names of container and blob are not escaped.
func (a *serviceSAS) text() string {
	resource := "/blob/" + a.account + "/" + a.container + "/" + a.blob
	const start, identifier, address, protocol = "", "", "", ""
	fields := []string{a.rights, start, a.expiry, resource, identifier, address, protocol, Version, "b"}
	return strings.Join(append(fields, make([]string, 7)...), "\n") // snapshot, encryption scope, five headers of the response
}

// signText signs a text as SAS are.
func signText(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Presign adds a SAS for the blob to the query of a request.
func (d *Dialect) Presign(q *exchange.Request, c *s3.Call, k *exchange.Keys, until time.Time) error {
	key, err := k.AccountKey()
	if err != nil {
		return s3.InvalidRequest(err)
	}
	a := serviceSAS{
		rights:    cmp.Or(rights[c.Method], "r"),
		expiry:    until.UTC().Format(time.RFC3339),
		account:   k.Access,
		container: cmp.Or(c.Other, d.cfg.BucketName(c.Bucket)),
		blob:      c.Key,
	}
	q.Query = append(slices.Clone(q.Query),
		s3.Param{Name: "se", Value: a.expiry},
		s3.Param{Name: "sig", Value: signText(key, a.text())},
		s3.Param{Name: "sp", Value: a.rights},
		s3.Param{Name: "sr", Value: "b"},
		s3.Param{Name: "sv", Value: Version})
	return nil
}
