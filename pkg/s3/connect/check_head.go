package connect

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/pkg/s3"
)

// A server may say that it did what was asked, and show by the rest of its response that it did something else. The head of each success is
// held against what its request asked for; bodies are checked where they are read. docs/reference/servers.md lists all of these checks.

// versionAsked returns the id of the version that the request names; empty if it names none.
func (r *reader) versionAsked(c *s3.Call) string {
	for i := range c.Query {
		if c.Query[i].Name == r.names.VersionParam {
			return c.Query[i].Value
		}
	}
	return ""
}

// checkSuccess returns an error for a status that is a success, but not one of this request.
func (r *reader) checkSuccess(c *s3.Call) error {
	if r.dialect.Succeeds(c) {
		return nil
	}
	const text = "status %d %s to a %s that has %s if it succeeds"
	return badHead(c, text, c.Status, http.StatusText(c.Status), c.Method, r.names.Success)
}

// checkVersion returns an error if the response is about another version than the one that the request names. Not all servers state it.
func (r *reader) checkVersion(c *s3.Call) error {
	if asked := r.versionAsked(c); asked != "" && c.VersionID != "" && c.VersionID != asked {
		return badHead(c, "asked for version %s, got %s", asked, c.VersionID)
	}
	return nil
}

// checkSource returns an error if the server copied another version than the source names.
func checkSource(c *s3.Call, got []byte) error {
	_, text, _ := strings.Cut(c.Source, "?versionId=")
	asked, err := url.QueryUnescape(text)
	if err != nil || asked == "" || len(got) == 0 || string(got) == asked {
		return nil
	}
	return badHead(c, "asked to copy version %s, the server copied %s", asked, got)
}

// checkStated returns an error if a HEAD states another length than that of the object. Some servers state none.
func checkStated(c *s3.Call, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	length, err := strconv.ParseInt(string(text), 10, 64)
	if err == nil && length == c.Size {
		return nil
	}
	return s3.Errorf(s3.ClassWrongLength, c.Status, "expected an object of %d bytes, got the head of one of %s", c.Size, text)
}

// badHead returns the error of a response whose head cannot be right.
func badHead(c *s3.Call, format string, args ...any) *s3.Error {
	return s3.Errorf(s3.ClassBadResponse, c.Status, format, args...)
}
