package responder

import (
	"net/http"
	"slices"
	"strings"

	"warp/internal/clock"
	"warp/pkg/op"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := clock.Now()
	x := Exchange{s: s, W: w, R: r}
	s.dialect.Begin(&x)
	n := s.kinds.of(x.Kind).requests.Add(1) - 1
	if s.opts.Rule != nil {
		x.Fault = s.opts.Rule(x.Kind, n)
	}
	x.injection = Injection{Kind: x.Kind, N: n, Key: x.Key, Fault: x.Fault, Came: came}
	s.dialect.Serve(&x)
	s.kinds.of(x.Kind).byStatus[x.injection.Status%maxStatus].Add(1)
	if s.opts.Record {
		s.record(x.injection)
	}
	if x.Fault.Close && x.injection.Status == 0 {
		x.hangUp()
	}
}

// authenticate returns the signature of a request, and the code of what is wrong with it; empty: nothing. Signatures of forms are not
// checked, nor any if there are no keys.
func (x *Exchange) authenticate() (s *signature, code string) {
	if len(x.s.opts.Keys) == 0 || strings.HasPrefix(x.R.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, ""
	}
	s = signatureOf(x.R)
	if s == nil || len(s.credential) != 5 {
		return nil, "AccessDenied"
	}
	key, known := x.s.sessions.key(x.R.Header.Get("X-Amz-S3session-Token"))
	if !known {
		i := slices.IndexFunc(x.s.opts.Keys, func(k Key) bool { return k.Access == s.credential[0] })
		if i < 0 {
			return nil, "InvalidAccessKeyId"
		}
		key = x.s.opts.Keys[i]
		token := x.R.Header.Get("X-Amz-Security-Token")
		if s.presigned {
			token = x.R.URL.Query().Get("X-Amz-Security-Token")
		}
		if token != key.Token {
			return nil, "InvalidToken"
		}
	}
	if s.value != s.of(x.R, key) {
		return nil, "SignatureDoesNotMatch"
	}
	return s, ""
}

// route responds to a request that does not stand out.
func (x *Exchange) route() {
	switch x.Kind {
	case op.Put:
		if x.extended(extractHeader) {
			extension{x}.extract()
			return
		}
		x.put()
	case op.Post:
		extension{x}.post()
	case op.Get, op.Stat:
		if x.extended(unzipHeader) {
			extension{x}.unzip()
			return
		}
		x.get()
	case op.Delete:
		if x.Key == "" {
			x.deleteMany()
			return
		}
		x.delete()
	case op.List:
		x.list()
	default:
		x.aboutBucket()
	}
}

// hangUp closes the connection without a response.
func (x *Exchange) hangUp() {
	if conn, _, err := http.NewResponseController(x.W).Hijack(); err == nil {
		_ = conn.Close()
	}
}
