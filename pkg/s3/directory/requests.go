package directory

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"warp/pkg/s3"
)

// ErrUnsupported is the cause of errors of requests that a directory bucket does not have. They are not sent.
var ErrUnsupported = errors.New("not with a directory bucket")

// unsupportedReason says what a request needs and directory buckets lack; empty: nothing.
func unsupportedReason(c *s3.Call) string {
	if c.Auth != s3.AuthHeader {
		return "have no requests that are signed ahead"
	}
	if c.Key == "" && c.Method == http.MethodPut && len(c.Query) == 0 {
		return "are made before a run, as by aws s3api create-bucket"
	}
	lists, second := false, false
	for _, p := range c.Query {
		switch p.Name {
		case "versions", "versionId", "versioning":
			return "keep no versions"
		case "tagging":
			return "have no tags of objects"
		case "acl":
			return "have no ACLs"
		case "retention", "legal-hold", "object-lock":
			return "have no object lock"
		case "start-after", "marker":
			return "list all keys, in any order, not those after a key"
		case "metadata":
			return "list no metadata"
		case "delimiter":
			if p.Value != "/" {
				return fmt.Sprintf("have no delimiter but \"/\", not %q", p.Value)
			}
		case "prefix":
			lists = true
		case "list-type", "uploads":
			second = true
		}
	}
	if lists && !second {
		return "have only version 2 of listings"
	}
	return ""
}

// Adapt makes the request one to a directory bucket, or returns an error if these have none like it. Prefixes of listings end at a slash
// there: the caller leaves out what else is listed.
func Adapt(c *s3.Call) error {
	if reason := unsupportedReason(c); reason != "" {
		return &s3.Error{Class: s3.ClassBadRequest, Message: "directory buckets " + reason, Err: ErrUnsupported}
	}
	for i := range c.Query {
		if p := &c.Query[i]; p.Name == "prefix" && !strings.HasSuffix(p.Value, "/") {
			c.WiderPrefix = p.Value != ""
			p.Value = p.Value[:strings.LastIndex(p.Value, "/")+1]
		}
	}
	return nil
}

// signedWithLongTermKey reports whether a request is signed with the key itself, not with the keys of a session: one that needs rights for
// another bucket too, or none yet.
func signedWithLongTermKey(c *s3.Call) bool {
	return c.Source != "" || s3.HasHeader(c.Headers, "X-Amz-Copy-Source") ||
		c.Key == "" && (c.Method == http.MethodHead || len(c.Query) == 1 && c.Query[0].Name == "session")
}
