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
	v := exchange{s: s, w: w, r: r}
	v.bucket, v.key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	request := find(r, v.key)
	if request != nil {
		v.kind = request.kind
	} else {
		v.kind = kindOf(r, v.key)
	}
	n := s.account(v.kind).requests.Add(1) - 1
	if s.opts.Rule != nil {
		v.fault = s.opts.Rule(v.kind, n)
	}
	v.injection = Injection{Kind: v.kind, N: n, Key: v.key, Fault: v.fault, Came: came}
	switch s, code := v.authenticate(); {
	case code != "":
		v.fail(http.StatusForbidden, code)
	case !v.directory():
		contents(r, s)
		if request != nil {
			request.serve(&v)
		} else {
			v.route()
		}
	}
	s.account(v.kind).byStatus[v.injection.Status%maxStatus].Add(1)
	if s.opts.Record {
		s.record(v.injection)
	}
	if v.fault.Close && v.injection.Status == 0 {
		v.hangUp()
	}
}

// authenticate returns the signature of a request, and the code of what is wrong with it; empty: nothing. Signatures of forms are not
// checked, nor any if there are no keys.
func (x *exchange) authenticate() (s *signature, code string) {
	if len(x.s.opts.Keys) == 0 || strings.HasPrefix(x.r.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, ""
	}
	s = signatureOf(x.r)
	if s == nil || len(s.credential) != 5 {
		return nil, "AccessDenied"
	}
	key, known := x.s.sessions.key(x.r.Header.Get("X-Amz-S3session-Token"))
	if !known {
		i := slices.IndexFunc(x.s.opts.Keys, func(k Key) bool { return k.Access == s.credential[0] })
		if i < 0 {
			return nil, "InvalidAccessKeyId"
		}
		key = x.s.opts.Keys[i]
		token := x.r.Header.Get("X-Amz-Security-Token")
		if s.presigned {
			token = x.r.URL.Query().Get("X-Amz-Security-Token")
		}
		if token != key.Token {
			return nil, "InvalidToken"
		}
	}
	if s.value != s.of(x.r, key) {
		return nil, "SignatureDoesNotMatch"
	}
	return s, ""
}

// route responds to a request that does not stand out.
func (x *exchange) route() {
	switch x.kind {
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
		if x.key == "" {
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
func (x *exchange) hangUp() {
	if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
