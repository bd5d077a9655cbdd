package responder

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
)

const directorySuffix = "--x-s3"

// sessions are those with directory buckets.
type sessions struct {
	created atomic.Uint64

	mu     sync.Mutex
	tokens map[string]grant
}

// grant is what a token is good for.
type grant struct {
	bucket string
	key    Key
	ends   time.Time
}

type sessionResult struct {
	XMLName     xml.Name `xml:"CreateSessionResult"`
	Credentials struct {
		SessionToken, SecretAccessKey, Expiration string
		AccessKeyID                               string `xml:"AccessKeyId"`
	}
}

// directory reports whether it has responded to a request to a directory bucket: by a session, or a refusal.
func directory(x *exchange) (done bool) {
	if x.s.opts.SessionLife == 0 || !strings.HasSuffix(x.bucket, directorySuffix) {
		return false
	}
	query, token := x.r.URL.Query(), x.r.Header.Get("X-Amz-S3session-Token")
	var credential []string
	if s := signatureOf(x.r); s != nil {
		credential = s.credential
	}
	refuse := func(status int, code string) bool {
		x.fail(status, code)
		return true
	}
	switch ofKey := query.Has("session") || x.key == "" && x.r.Method == http.MethodHead || x.r.Header.Get("X-Amz-Copy-Source") != ""; {
	case len(credential) != 5 || credential[3] != "s3express":
		return refuse(http.StatusForbidden, "AuthorizationHeaderMalformed")
	case ofKey && token != "":
		return refuse(http.StatusForbidden, "AccessDenied")
	case !ofKey && !x.s.sessions.valid(token, x.bucket, credential[0]):
		return refuse(http.StatusForbidden, "ExpiredToken")
	case !ofKey && !strings.Contains(x.r.Header.Get("Authorization"), ";x-amz-s3session-token"):
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch")
	case query.Has("session") && x.key == "":
		createSession(x)
		return true
	case lacks(x):
		return refuse(http.StatusNotImplemented, "NotImplemented")
	}
	return false
}

// disorder reverses a page of a listing of a directory bucket, whose listings have no order.
func disorder(x *exchange, p *page) {
	if x.s.opts.SessionLife > 0 && strings.HasSuffix(x.bucket, directorySuffix) {
		slices.Reverse(p.keys)
		slices.Reverse(p.objects)
	}
}

// lacks reports whether a request is one that directory buckets do not have.
func lacks(x *exchange) bool {
	query := x.r.URL.Query()
	for _, name := range []string{"versions", "versionId", "versioning", "tagging", "acl", "retention", "legal-hold", "object-lock", "start-after", "marker"} {
		if query.Has(name) {
			return true
		}
	}
	if prefix := query.Get("prefix"); prefix != "" && !strings.HasSuffix(prefix, "/") {
		return true
	}
	return x.r.Header.Get("Content-Md5") != "" && x.r.Method == http.MethodPut
}

func createSession(x *exchange) {
	if !x.ready() {
		return
	}
	n := strconv.FormatUint(x.s.sessions.created.Add(1), 10)
	var a sessionResult
	ends := clock.Wall().Add(x.s.opts.SessionLife).UTC()
	a.Credentials.AccessKeyID, a.Credentials.SecretAccessKey = "SESSION"+n, fmt.Sprintf("secret %x", rand.Uint64())
	a.Credentials.SessionToken, a.Credentials.Expiration = fmt.Sprintf("token %x", rand.Uint64()), ends.Format(time.RFC3339Nano)
	x.s.sessions.mu.Lock()
	if x.s.sessions.tokens == nil {
		x.s.sessions.tokens = map[string]grant{}
	}
	x.s.sessions.tokens[a.Credentials.SessionToken] = grant{x.bucket, Key{Access: a.Credentials.AccessKeyID, Secret: a.Credentials.SecretAccessKey}, ends}
	x.s.sessions.mu.Unlock()
	x.xml(http.StatusOK, a)
}

// valid reports whether a request has the token and the key of a session with the bucket that has not ended.
func (s *sessions) valid(token, bucket, access string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, known := s.tokens[token]
	return known && g.bucket == bucket && g.key.Access == access && clock.Wall().Before(g.ends)
}

// key returns that of a session by its token.
func (s *sessions) key(token string) (k Key, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, known := s.tokens[token]
	return g.key, known
}
