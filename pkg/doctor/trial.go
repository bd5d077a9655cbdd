package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// trial is the state that checks share.
type trial struct {
	ctx     context.Context
	host    *host
	prefix  string
	bucket  *finding.Bucket
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
		v = t.put()
	}
	return v, t.etag != ""
}

// put puts the object that checks read.
func (t *trial) put() verdict {
	if t.host.session.Dialect().Name() != s3.StoreS3 {
		return t.putOther()
	}
	r, err := t.putObject(objectKey)
	if err == nil {
		t.etag, t.version = r.Got[0], r.VersionID
	}
	return judge(err)
}

// call is a call about the object that checks read.
func (t *trial) call() *s3.Call {
	return &s3.Call{Key: t.prefix + objectKey, Size: int64(len(content))}
}

// putOther puts that object.
func (t *trial) putOther() verdict {
	c := t.call()
	c.Body, c.WantETag = bytes.NewReader(content), true
	t.host.add(c.Key)
	err := ops.Put(t.ctx, t.host.session, c)
	if err != nil {
		t.failed = err
	} else {
		t.etag, t.version = c.ETag, c.VersionID
	}
	return judge(err)
}

// read reads an object with the headers given.
func (t *trial) read(key string, pairs ...string) (*response, error) {
	return t.send(request{method: http.MethodGet, key: key, headers: headers(pairs...)})
}

// with sends a request of a store with another configuration.
func (t *trial) with(cfg s3.Config, q request) verdict {
	store, err := connect.New(cfg)
	if err != nil {
		return verdict{result: finding.Untried, detail: err.Error()}
	}
	defer store.Close()
	q.session = preflight.WithDiagnosis(store.Session(0), cfg)
	r, err := t.send(q)
	v := judge(err)
	v.text = r.text
	return v
}

// needed makes a problem of a needed operation that does not work for a cause, and stops the checks that need objects.
func (t *trial) needed(c *finding.Check, cause error) {
	if c.Result == finding.Yes || c.Result == finding.Untried || s3.AsError(t.failed).Class == s3.ClassCanceled {
		return
	}
	problem := fmt.Sprintf("%s: %s does not work: %s", t.host.URL, c.Name, c.Detail)
	// The cause is not the error of the last request that failed: others may have followed.
	if d := (*preflight.Diagnosis)(nil); errors.As(cause, &d) && c.Result != finding.Ignored {
		problem = cause.Error()
	}
	t.host.problems = append(t.host.problems, problem)
	if c.Name == "put" || c.Name == "delete" {
		t.stop = c.Name + " does not work"
	}
}
