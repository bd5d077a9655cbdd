package s3

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A server may say that it did what was asked, and show by the rest of its response that it did something else. The head of each success is
// held against what its request asked for; bodies are checked where they are read. docs/servers.md lists all of these checks.

// successes are the statuses beside 200 with which S3 confirms requests. Requests that fit no row have 200 alone.
var successes = []struct {
	request string
	is      func(c *Call) bool
	also    []int
}{
	{"a range or a part", func(c *Call) bool { return reads(c) && (c.Length > 0 || c.asks("partNumber")) }, []int{http.StatusPartialContent}},
	{"HEAD of a bucket", func(c *Call) bool { return c.Method == http.MethodHead && c.Key == "" }, []int{http.StatusNoContent}},
	{"DELETE", func(c *Call) bool { return c.Method == http.MethodDelete }, []int{http.StatusNoContent}},
	{"form", func(c *Call) bool { return c.Auth == AuthForm }, []int{http.StatusCreated, http.StatusNoContent}},
	{"PUT of a subresource", func(c *Call) bool { return c.Method == http.MethodPut && len(c.Query) > 0 && !c.asks("uploadId") }, []int{http.StatusNoContent}},
	{
		"POST to a subresource that this package does not know", // such as restore
		func(c *Call) bool {
			return c.Method == http.MethodPost && len(c.Query) > 0 && !c.asks("uploads", "uploadId", "delete")
		},
		[]int{http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
	},
}

// reads reports whether the request is a GET or a HEAD.
func reads(c *Call) bool { return c.Method == http.MethodGet || c.Method == http.MethodHead }

// asks reports whether the query has one of these parameters.
func (c *Call) asks(names ...string) bool {
	return slices.ContainsFunc(c.Query, func(p Param) bool { return slices.Contains(names, p.Name) })
}

// versionAsked returns the id of the version that the request names; empty if it names none.
func versionAsked(c *Call) string {
	for i := range c.Query {
		if c.Query[i].Name == "versionId" {
			return c.Query[i].Value
		}
	}
	return ""
}

// checkHead returns an error if the head of a response of status 2xx says that the server did something else than it was asked for.
func (s *session) checkHead(c *Call) error {
	if err := checkSuccess(c); err != nil {
		return err
	}
	if asked := versionAsked(c); asked != "" && c.VersionID != "" && c.VersionID != asked { // not all servers state it
		return badHead(c, "asked for version %s, got %s", asked, c.VersionID)
	}
	if c.Source != "" {
		if err := s.checkSource(c); err != nil {
			return err
		}
	}
	if c.Method == http.MethodHead && c.Key != "" && c.Size >= 0 {
		return checkStated(c, s.client.Header("content-length"))
	}
	return nil
}

// checkSuccess returns an error for a status that is a success, but not one of this request.
func checkSuccess(c *Call) error {
	if c.Status == http.StatusOK {
		return nil
	}
	for i := range successes {
		if row := &successes[i]; slices.Contains(row.also, c.Status) && row.is(c) {
			return nil
		}
	}
	return badHead(c, "status %d %s to a %s that has status 200 if it succeeds", c.Status, http.StatusText(c.Status), c.Method)
}

// checkSource returns an error if the server copied another version than the source names.
func (s *session) checkSource(c *Call) error {
	_, text, _ := strings.Cut(c.Source, "?versionId=")
	got := s.client.Header("x-amz-copy-source-version-id")
	asked, err := url.QueryUnescape(text)
	if err != nil || asked == "" || len(got) == 0 || string(got) == asked {
		return nil
	}
	return badHead(c, "asked to copy version %s, the server copied %s", asked, got)
}

// checkStated returns an error if a HEAD states another length than that of the object. Some servers state none.
func checkStated(c *Call, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	length, err := strconv.ParseInt(string(text), 10, 64)
	if err == nil && length == c.Size {
		return nil
	}
	return &Error{Class: ClassWrongLength, Status: c.Status, Message: oneLine(fmt.Sprintf("expected an object of %d bytes, got the head of one of %s", c.Size, text))}
}

// badHead returns the error of a response whose head cannot be right.
func badHead(c *Call, format string, args ...any) *Error {
	return &Error{Class: ClassBadResponse, Status: c.Status, Message: oneLine(fmt.Sprintf(format, args...))}
}
