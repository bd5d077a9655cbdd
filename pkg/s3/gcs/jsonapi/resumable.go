package jsonapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// resumable is an upload in a session: a request that begins it, and one for each chunk, one after the other.
type resumable struct {
	d       *Dialect
	call    *s3.Call
	body    io.ReaderAt
	size    int64
	stored  int64 // what the store has
	path    []byte
	query   []s3.Param
	all     sequence
	retries int // that are left
}

const moreWanted = http.StatusPermanentRedirect // 308: a chunk is stored, and is not the last

// errForeignSession is the error of a session at another host, which would get the token.
var errForeignSession = errors.New("the upload would go on at another host, which would get the token")

// putResumable uploads an object in a session.
func (d *Dialect) putResumable(ctx context.Context, s s3.Session, c *s3.Call) error {
	u := &resumable{d: d, call: c, body: c.Body, size: c.Size, retries: d.Config.Retries}
	wantETag, expected := c.WantETag, c.Expected
	defer func() { c.Body, c.Size, c.Expected = u.body, u.size, expected }()
	if err := u.open(ctx, s); err != nil {
		return err
	}
	c.If, c.WantETag = s3.Conditions{}, wantETag
	for {
		err := u.send(ctx, s)
		for err != nil && s3.Retryable(err) && u.retries > 0 && ctx.Err() == nil {
			u.retries--
			u.all.sum.Retries++
			err = u.ask(ctx, s)
		}
		if err != nil || u.call.Status != moreWanted {
			return err
		}
	}
}

// open begins the session.
func (u *resumable) open(ctx context.Context, s s3.Session) error {
	c, d := u.call, u.d
	sums, err := d.upload.sumsOf(c)
	if err != nil {
		return err
	}
	c.Begin(http.MethodPost, s3.MakesObjects)
	c.Path = d.bucketOf(s, c).upload
	c.Query = append(c.Query, s3.Param{Name: "name", Value: c.Key}, s3.Param{Name: "uploadType", Value: "resumable"})
	c.Headers = append(c.Headers,
		s3.Header{Name: "X-Upload-Content-Length", Value: strconv.FormatInt(u.size, 10)},
		s3.Header{Name: "X-Upload-Content-Type", Value: d.upload.contentType})
	setJSON(c, d.upload.resource(c.Key, sums, c.Key))
	c.Want = append(c.Want, "location")
	if err = s.Do(ctx, c); err != nil {
		return err
	}
	u.all.add(&c.Response)
	to, err := url.Parse(c.Got[0])
	if err != nil || to.Host == "" {
		return ops.BadResponse("resumable upload", errors.New("the response names no place to upload to"))
	}
	if to.Scheme+"://"+to.Host != c.Host {
		return s3.InvalidRequest(errForeignSession)
	}
	u.path = []byte(to.EscapedPath())
	for name, values := range to.Query() {
		for _, value := range values {
			u.query = append(u.query, s3.Param{Name: name, Value: value})
		}
	}
	return nil
}

// send sends the next chunk.
func (u *resumable) send(ctx context.Context, s s3.Session) error {
	n := min(u.d.upload.chunk, u.size-u.stored)
	span := "*"
	if n > 0 {
		span = strconv.FormatInt(u.stored, 10) + "-" + strconv.FormatInt(u.stored+n-1, 10)
	}
	before := u.stored
	err := u.put(ctx, s, span, io.NewSectionReader(u.body, u.stored, n), n)
	if err == nil && u.call.Status == moreWanted && u.stored == before {
		return s3.Errorf(s3.ClassBadResponse, moreWanted, "the store confirms a chunk of an upload, and none of its bytes")
	}
	return err
}

// ask asks what the store has of the upload, after an error that leaves it open.
func (u *resumable) ask(ctx context.Context, s s3.Session) error {
	return u.put(ctx, s, "*", nil, 0)
}

// put sends a part of the contents, or a question, and notes what is stored then.
func (u *resumable) put(ctx context.Context, s s3.Session, span string, body io.ReaderAt, n int64) error {
	c := u.call
	c.Begin(http.MethodPut, s3.NoAccess)
	c.Path, c.Query = u.path, append(c.Query, u.query...)
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Range", Value: "bytes " + span + "/" + strconv.FormatInt(u.size, 10)})
	c.Body, c.Size = body, n
	if n == 0 {
		c.Body = nil
	}
	c.Once, c.Expected = true, []int{moreWanted}
	c.Want = append(c.Want, "range")
	c.Take = func(c *s3.Call, text []byte) ([]byte, error) {
		c.Size = u.size
		return takeUpload(c, text)
	}
	err := s.Do(ctx, c)
	u.all.add(&c.Response)
	if c.Status != moreWanted {
		return err
	}
	if u.stored, err = storedOf(c.Got[0], u.size); err != nil {
		return ops.BadResponse("resumable upload", err)
	}
	return nil
}

// storedOf returns how many bytes of an upload are stored, by the range of a 308; without one, none are.
func storedOf(text string, size int64) (int64, error) {
	if text == "" {
		return 0, nil
	}
	last, found := strings.CutPrefix(text, "bytes=0-")
	n, err := strconv.ParseInt(last, 10, 64)
	if !found || err != nil || n < 0 || n >= size {
		return 0, errors.New("a range that cannot be one of the upload")
	}
	return n + 1, nil
}
