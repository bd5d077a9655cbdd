package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
	"warp/pkg/s3/probe"
	"warp/pkg/units"
)

// request is a request of a check.
type request struct {
	method, key string // without the prefix; empty: about the bucket
	query       []s3.Param
	headers     []s3.Header
	body        []byte
	document    bool // the body is an XML document
	offset      int64
	length      int64 // of a range
	want        []string
	access      s3.Access // to contents, for which options of uploads count
	auth        s3.Auth
	session     s3.Session // nil: that of the host
}

// response is the response to it.
type response struct {
	*s3.Call
	text []byte
}

// maxText is the longest body of a response to a check: the largest object and more.
const maxText = 6 << 20

// trial is what checks share.
type trial struct {
	ctx     context.Context
	host    *host
	prefix  string
	bucket  *Bucket
	stop    string // why no objects are put any more; empty: they are
	etag    string // of the object that checks read; empty: it must be put first
	version string // id of its version
	upload  string // id of a multipart upload that is to be aborted
	parts   bool   // there is an object of two parts
	failed  error  // of the last request that failed

	first    *trial // through the first host; nil: this is it
	other    *trial // in the second bucket; nil: there is none, see otherErr
	otherErr error

	versions, locks verdict // about the state of the bucket
}

// send sends a request.
func (t *trial) send(q request) (*response, error) {
	r := &response{Call: &s3.Call{Size: -1}}
	if q.key != "" {
		r.Key = t.prefix + q.key
	}
	if q.method == http.MethodPut && q.key != "" && len(q.query) == 0 {
		t.host.add(r.Key)
	}
	r.Auth = q.auth
	r.Begin(q.method, q.access)
	r.Offset, r.Length = q.offset, q.length
	r.Query, r.Headers, r.Want = append(r.Query, q.query...), append(r.Headers, q.headers...), append(r.Want, q.want...)
	switch {
	case q.document:
		r.SetDocument(q.body)
	case q.body != nil:
		r.Body, r.Size = bytes.NewReader(q.body), int64(len(q.body))
	}
	r.Parse = func(body io.Reader) (err error) {
		r.text, err = io.ReadAll(io.LimitReader(body, maxText))
		return err
	}
	session := q.session
	if session == nil {
		session = t.host.session
	}
	err := session.Do(t.ctx, r.Call)
	if err != nil {
		t.failed = err
	}
	return r, err
}

// putObject puts an object.
func (t *trial) putObject(key string, pairs ...string) (*response, error) {
	return t.send(request{method: http.MethodPut, key: key, body: content, headers: headers(pairs...), want: []string{"etag"}})
}

// object puts the object that checks read, unless it exists.
func (t *trial) object() (v verdict, ok bool) {
	if t.etag == "" {
		v = tryPut(t)
	}
	return v, t.etag != ""
}

// read reads an object with the headers given.
func (t *trial) read(key string, pairs ...string) (*response, error) {
	return t.send(request{method: http.MethodGet, key: key, headers: headers(pairs...)})
}

// with sends a request of a store with another configuration.
func (t *trial) with(cfg s3.Config, q request) verdict {
	store, err := s3.New(cfg)
	if err != nil {
		return verdict{result: Untried, detail: err.Error()}
	}
	defer store.Close()
	q.session = preflight.Unmeasured(store.Session(0), cfg)
	r, err := t.send(q)
	v := judge(err)
	v.text = r.text
	return v
}

// needed makes a problem of a needed operation that does not work, and stops the checks that need objects.
func (t *trial) needed(c *Check) {
	if c.Result == Yes || c.Result == Untried || s3.AsError(t.failed).Class == s3.ClassCanceled {
		return
	}
	problem := fmt.Sprintf("%s: %s does not work: %s", t.host.URL, c.Name, c.Detail)
	if d := (*preflight.Diagnosis)(nil); errors.As(c.err, &d) && c.Result != Ignored { // not of the last request that failed: others may follow
		problem = c.err.Error()
	}
	t.host.problems = append(t.host.problems, problem)
	if c.Name == "put" || c.Name == "delete" {
		t.stop = c.Name + " does not work"
	}
}

// verdict is the result of a check.
type verdict struct {
	result Result
	status int
	detail string
	text   []byte // of the response
	err    error  // that decided; nil: none did
}

func (c *Check) verdict(v verdict) {
	c.Result, c.Status, c.Detail, c.err = v.result, v.status, units.Line(v.detail), v.err
	if c.Result != Denied {
		return
	}
	c.Detail = "grant " + c.Right
	if d := (*preflight.Diagnosis)(nil); errors.As(v.err, &d) && d.OtherAuth {
		c.Detail = "the host may not know this form of authentication; else " + c.Detail
	}
}

func yes(format string, args ...any) verdict {
	return verdict{result: Yes, detail: fmt.Sprintf(format, args...)}
}

func ignored(status int, format string, args ...any) verdict {
	return verdict{result: Ignored, status: status, detail: fmt.Sprintf(format, args...)}
}

// otherContent is the verdict of a request whose response should have had another body than text.
func otherContent(status int, text []byte) verdict {
	if bytes.Equal(text, content) {
		return ignored(status, "the object itself is sent")
	}
	return ignored(status, "another response: %s", begin(text))
}

// judge makes a verdict of the error of a request.
func judge(err error) verdict {
	if err == nil {
		return verdict{result: Yes}
	}
	e := s3.AsError(err)
	v := verdict{result: Failed, status: e.Status, detail: cmp.Or(e.Class, err.Error()), err: err}
	if e.Message != "" {
		v.detail += ": " + e.Message
	}
	if status, text, ok := probe.Accepted(err); ok {
		return ignored(status, "%s", text)
	}
	switch {
	case errors.Is(err, s3.ErrDirectory):
		v.result, v.detail = No, e.Message
	case errors.Is(err, s3.ErrSession): // the right for a session is another one
	case e.Code == "AccessDenied" || e.Code == "" && (e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized):
		v.result = Denied
	case e.Status/100 == 4, e.Status == http.StatusNotImplemented:
		v.result = No
	}
	return v
}
