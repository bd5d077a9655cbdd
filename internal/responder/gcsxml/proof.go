package gcsxml

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// Credentials that the store takes: HMAC keys, and a bearer token.
const (
	Access = "GOOG1EXAMPLE"
	Secret = "secretsecretsecretsecretsecretsecretsecr"
	Token  = "ya29.example"
)

// Check returns the code of the refusal of a request that does not prove itself; empty: it does.
func Check(r *http.Request) (code string) {
	proof := r.Header.Get("Authorization")
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") {
			return "ExcessHeaderValues"
		}
	}
	switch {
	case proof == "Bearer "+Token:
		return ""
	case strings.HasPrefix(proof, "Bearer "):
		return "AuthenticationRequired"
	case proof == "" || proof != Authorization(r):
		return "SignatureDoesNotMatch"
	}
	return ""
}

// Authorization is the signature that a request must have, by the description of GOOG4. It is of all headers that the request says are
// signed, if these are enough.
func Authorization(r *http.Request) string {
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	list, _, _ := strings.Cut(rest, ",")
	names, date := strings.Split(list, ";"), r.Header.Get("X-Goog-Date")
	for name := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-goog-") && !slices.Contains(names, lower) {
			return "" // it could be changed on the way
		}
	}
	if len(date) != len("20060102T150405Z") || slices.Contains(names, "accept-encoding") { // which Google's front end changes
		return ""
	}
	headers := ""
	for _, name := range names {
		value := strings.Join(r.Header.Values(name), ",")
		if name == "host" {
			value = r.Host
		}
		headers += name + ":" + strings.TrimSpace(value) + "\n"
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	params := strings.Split(query, "&")
	for i, p := range params {
		if p != "" && !strings.Contains(p, "=") {
			params[i] += "="
		}
	}
	slices.Sort(params)
	hash := sha256.Sum256([]byte(strings.Join([]string{
		r.Method, path, strings.Join(params, "&"), headers, list, r.Header.Get("X-Goog-Content-Sha256"),
	}, "\n")))
	scope := date[:8] + "/auto/storage/goog4_request"
	key := []byte("GOOG4" + Secret)
	for _, part := range append(strings.Split(scope, "/"), "GOOG4-HMAC-SHA256\n"+date+"\n"+scope+"\n"+hex.EncodeToString(hash[:])) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return "GOOG4-HMAC-SHA256 Credential=" + Access + "/" + scope + ", SignedHeaders=" + list + ", Signature=" + hex.EncodeToString(key)
}
