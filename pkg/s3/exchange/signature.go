package exchange

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Requests of package net/http are signed by minio-go, which is the second opinion on package lean. What follows signs those that it signs
// wrongly: it takes a byte of a key that is no UTF-8 for another one, and folds more blanks in values of headers than S3 does.

const (
	longDate  = "20060102T150405Z"
	shortDate = "20060102"
)

// NeedsOwnSignature reports whether only SignV4 and PresignV4 sign a request for a key of an object.
func (k *Keys) NeedsOwnSignature(req *http.Request, key string) bool {
	if k.Scheme == GOOG4 || !utf8.ValidString(key) {
		return true
	}
	for _, values := range req.Header {
		for _, v := range values {
			if string(AppendCanonical(nil, v)) != strings.Join(strings.Fields(v), " ") {
				return true
			}
		}
	}
	return false
}

// SignV4 signs a request with a header. Its path and query are escaped as AppendPath and AppendQuery do it.
func SignV4(req *http.Request, k *Keys, region string, now time.Time) {
	now = now.UTC()
	req.Header.Set(k.V4().Date, now.Format(longDate))
	if k.Token != "" {
		req.Header.Set(k.TokenHeader(), k.Token)
	}
	headers, names := canonicalHeaders(req)
	sum := signatureV4(k, region, now, canonicalRequest(req, headers, names, req.Header.Get(k.V4().Payload)))
	req.Header.Set("Authorization",
		k.V4().Algorithm+" Credential="+k.Access+"/"+scopeV4(k, region, now)+", SignedHeaders="+names+", Signature="+sum)
}

// PresignV4 returns the query of a request with a signature that is valid for a time.
func PresignV4(req *http.Request, k *Keys, region string, now time.Time, life time.Duration) url.Values {
	values := req.URL.Query()
	now = now.UTC()
	headers, names := canonicalHeaders(req)
	values.Set("X-Amz-Algorithm", k.V4().Algorithm)
	values.Set("X-Amz-Date", now.Format(longDate))
	values.Set("X-Amz-Expires", strconv.Itoa(int(life.Seconds())))
	values.Set("X-Amz-SignedHeaders", names)
	values.Set("X-Amz-Credential", k.Access+"/"+scopeV4(k, region, now))
	if k.Token != "" {
		values.Set("X-Amz-Security-Token", k.Token)
	}
	var params []Param
	for name, all := range values {
		params = append(params, Param{Name: name, Value: all[0]})
	}
	slices.SortFunc(params, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	own := *req
	own.URL = &url.URL{Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: string(AppendParams(nil, params))}
	values.Set("X-Amz-Signature", signatureV4(k, region, now, canonicalRequest(&own, headers, names, "UNSIGNED-PAYLOAD")))
	return values
}

// canonicalHeaders returns the headers that are signed, each with its line end, and their names.
func canonicalHeaders(req *http.Request) (lines, names string) {
	list := map[string]string{"host": req.Host}
	for name, values := range req.Header {
		if lower := strings.ToLower(name); lower != "user-agent" && lower != "accept-encoding" && lower != "authorization" {
			list[lower] = values[0]
		}
	}
	sorted := make([]string, 0, len(list))
	for name := range list {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var b []byte
	for _, name := range sorted {
		b = append(AppendCanonical(append(append(b, name...), ':'), list[name]), '\n')
	}
	return string(b), strings.Join(sorted, ";")
}

// canonicalRequest returns what is hashed of a request.
func canonicalRequest(req *http.Request, headers, names, payload string) string {
	return strings.Join([]string{req.Method, req.URL.EscapedPath(), req.URL.RawQuery, headers, names, payload}, "\n")
}

// scopeV4 returns the scope of a signature.
func scopeV4(k *Keys, region string, now time.Time) string {
	return now.Format(shortDate) + "/" + region + "/" + k.Service() + "/" + k.V4().Terminator
}

// signatureV4 returns the signature of a canonical request.
func signatureV4(k *Keys, region string, now time.Time, canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	text := strings.Join([]string{k.V4().Algorithm, now.Format(longDate), scopeV4(k, region, now), hex.EncodeToString(sum[:])}, "\n")
	key := []byte(k.V4().Prefix + k.Secret)
	for _, part := range []string{now.Format(shortDate), region, k.Service(), k.V4().Terminator, text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}
