package responder

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"
)

type sessionResult struct {
	XMLName     xml.Name `xml:"CreateSessionResult"`
	Credentials struct {
		SessionToken, SecretAccessKey, Expiration string
		AccessKeyID                               string `xml:"AccessKeyId"`
	}
}

// directory reports whether it has responded to a request to a directory bucket: by a session, or a refusal.
func (x *Exchange) directory() (done bool) {
	if x.s.opts.SessionLife == 0 || !strings.HasSuffix(x.Bucket, directorySuffix) {
		return false
	}
	query, token := x.R.URL.Query(), x.R.Header.Get("X-Amz-S3session-Token")
	var credential []string
	if s := signatureOf(x.R); s != nil {
		credential = s.credential
	}
	refuse := func(status int, code string) bool {
		x.Fail(status, code)
		return true
	}
	switch ofKey := query.Has("session") || x.Key == "" && x.R.Method == http.MethodHead || x.R.Header.Get("X-Amz-Copy-Source") != ""; {
	case len(credential) != 5 || credential[3] != "s3express":
		return refuse(http.StatusForbidden, "AuthorizationHeaderMalformed")
	case ofKey && token != "":
		return refuse(http.StatusForbidden, "AccessDenied")
	case !ofKey && !x.s.sessions.valid(token, x.Bucket, credential[0]):
		return refuse(http.StatusForbidden, "ExpiredToken")
	case !ofKey && !strings.Contains(x.R.Header.Get("Authorization"), ";x-amz-s3session-token"):
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch")
	case query.Has("session") && x.Key == "":
		x.createSession()
		return true
	case x.lacks():
		return refuse(http.StatusNotImplemented, "NotImplemented")
	}
	return false
}

// disorder reverses a page of a listing of a directory bucket, whose listings have no order.
func (x *Exchange) disorder(p *page) {
	if x.s.opts.SessionLife > 0 && strings.HasSuffix(x.Bucket, directorySuffix) {
		slices.Reverse(p.keys)
		slices.Reverse(p.objects)
	}
}

// generalOnly are parameters of requests that only general purpose buckets have.
var generalOnly = []string{
	"versions", "versionId", "versioning", "tagging", "acl", "retention", "legal-hold", "object-lock", "start-after", "marker",
}

// lacks reports whether directory buckets do not have a request.
func (x *Exchange) lacks() bool {
	query := x.R.URL.Query()
	if slices.ContainsFunc(generalOnly, query.Has) {
		return true
	}
	if prefix := query.Get("prefix"); prefix != "" && !strings.HasSuffix(prefix, "/") {
		return true
	}
	return x.R.Header.Get("Content-Md5") != "" && x.R.Method == http.MethodPut
}

func (x *Exchange) createSession() {
	if !x.ready() {
		return
	}
	token, g := x.s.sessions.create(x.Bucket, x.s.opts.SessionLife)
	var a sessionResult
	a.Credentials.AccessKeyID, a.Credentials.SecretAccessKey = g.key.Access, g.key.Secret
	a.Credentials.SessionToken, a.Credentials.Expiration = token, g.ends.Format(time.RFC3339Nano)
	x.XML(http.StatusOK, a)
}
