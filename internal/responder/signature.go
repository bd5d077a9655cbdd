package responder

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Key is a key that signs requests.
type Key struct{ Access, Secret, Token string }

const (
	signatureV4     = "AWS4-HMAC-SHA256"
	unsignedPayload = "UNSIGNED-PAYLOAD"
)

// signature is that of a request, by a header or in its query.
type signature struct {
	credential []string // key, date, region, service, "aws4_request"
	signed     []string // names of headers
	value      string
	date       string
	presigned  bool

	key []byte // that signs, once the secret is known
}

// signatureOf returns the signature of a request; nil if it has none.
func signatureOf(r *http.Request) *signature {
	if fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), signatureV4+" "); ok {
		s := &signature{date: r.Header.Get("X-Amz-Date")}
		for f := range strings.SplitSeq(fields, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(f), "=")
			switch name {
			case "Credential":
				s.credential = strings.Split(value, "/")
			case "SignedHeaders":
				s.signed = strings.Split(value, ";")
			case "Signature":
				s.value = value
			}
		}
		return s
	}
	if !strings.Contains(r.URL.RawQuery, "X-Amz-Signature=") {
		return nil
	}
	q := r.URL.Query()
	return &signature{
		presigned: true, date: q.Get("X-Amz-Date"), value: q.Get("X-Amz-Signature"),
		credential: strings.Split(q.Get("X-Amz-Credential"), "/"), signed: strings.Split(q.Get("X-Amz-SignedHeaders"), ";"),
	}
}

// of returns the signature that a request must have that a key signs.
func (s *signature) of(r *http.Request, key Key) string {
	s.key = []byte("AWS4" + key.Secret)
	for _, part := range s.credential[1:] {
		s.key = mac(s.key, part)
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	payload := r.Header.Get("X-Amz-Content-Sha256")
	if s.presigned {
		payload = unsignedPayload
	}
	lines := []string{r.Method, path, s.query(r.URL.RawQuery)}
	for _, name := range s.signed {
		lines = append(lines, name+":"+headerLine(r, name))
	}
	lines = append(lines, "", strings.Join(s.signed, ";"), payload)
	return s.sign(signatureV4, hexSum(strings.Join(lines, "\n")))
}

// query returns the query in canonical form, without the signature itself.
func (s *signature) query(raw string) string {
	var params []string
	for p := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(p, "=")
		if p == "" || name == "X-Amz-Signature" {
			continue
		}
		params = append(params, canonicalParam(name)+"="+canonicalParam(value))
	}
	slices.Sort(params)
	return strings.Join(params, "&")
}

// canonicalParam escapes a part of a query as signatures demand, however it was escaped.
func canonicalParam(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		s = text
	}
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

func headerLine(r *http.Request, name string) string {
	if name == "host" {
		return r.Host
	}
	blank := func(r rune) bool { return r == ' ' || r == '\t' }
	return strings.Join(strings.FieldsFunc(strings.Join(r.Header.Values(name), ","), blank), " ")
}

// sign signs a text that follows the date and the scope.
func (s *signature) sign(what, text string) string {
	scope := strings.Join(s.credential[1:], "/")
	return hex.EncodeToString(mac(s.key, strings.Join([]string{what, s.date, scope, text}, "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(text)) // it never fails
	return h.Sum(nil)
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
