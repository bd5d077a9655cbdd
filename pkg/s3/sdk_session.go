package s3

import (
	"context"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// readBuffer is how much of a body is read at once. Reads of at least the transport's own buffer go past that buffer.
const readBuffer = 128 << 10

// sdkSession is one worker's way to the store.
type sdkSession struct {
	store  *sdkStore
	buffer []byte // of Get; made when first needed
	paging paging
}

// request performs one request of an operation on a host; the exchange notes what came of it.
type request func(ctx context.Context, h *sdkHost, x *exchange) error

// perform chooses a host and sends the request, more than once only if Config.Retries says so.
func (s *sdkSession) perform(ctx context.Context, c *Call, send request) (err error) {
	host := s.store.pool.take()
	defer func() { s.store.pool.done(host, !Unanswered(err)) }()
	h := s.store.hosts[host]
	c.Host = h.url
	for try := 0; ; try++ {
		x, requestContext := newExchange(ctx)
		err = send(requestContext, h, x)
		x.answer(c)
		if err == nil || !retry(ctx, &s.store.cfg, c, err, try) {
			return err
		}
	}
}

// Put uploads c.Body as one request, without hashing it: the signature says UNSIGNED-PAYLOAD, over plain HTTP too.
func (s *sdkSession) Put(ctx context.Context, c *Call) error {
	if c.Size < 0 {
		return &Error{Class: classBadRequest, Message: "the size of a body must be known"}
	}
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		var body io.Reader = http.NoBody
		if c.Size > 0 {
			out := &outgoing{x: x, body: c.Body, left: c.Size}
			defer out.release()
			body, x.hasBody = out, true
		}
		err := s.upload(ctx, h, c, body, x)
		if x.status/100 == 2 {
			err = nil // the SDK wants exactly 200
		}
		c.Sent = x.sent()
		if err := x.outcome(err); err != nil {
			return err
		}
		c.Bytes = c.Size
		return checkEncrypted(&s.store.cfg, x.status, x.header.Get(encrypted))
	})
}

// upload sends the body of a Put, an object or a part of one.
func (s *sdkSession) upload(ctx context.Context, h *sdkHost, c *Call, body io.Reader, x *exchange) error {
	bucket, sse := s.store.cfg.Bucket, s.store.sse
	if c.Upload == "" {
		x.headers = s.store.cfg.Headers
		_, err := h.core.PutObject(ctx, bucket, c.Key, body, c.Size, "", "",
			minio.PutObjectOptions{DisableContentSha256: true, ServerSideEncryption: sse})
		return err
	}
	part, err := h.core.PutObjectPart(ctx, bucket, c.Key, c.Upload, c.Part, body, c.Size,
		minio.PutObjectPartOptions{DisableContentSha256: true, SSE: sse})
	c.ETag = part.ETag
	return err
}

// Get downloads an object, or a range of it, as one request.
func (s *sdkSession) Get(ctx context.Context, c *Call) error {
	opts := minio.GetObjectOptions{VersionID: c.Version, ServerSideEncryption: s.store.sse}
	if c.Length > 0 {
		if err := opts.SetRange(c.Offset, c.Offset+c.Length-1); err != nil {
			return &Error{Class: classBadRequest, Message: oneLine(err.Error()), Err: err}
		}
	}
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		x.object = true
		body, _, _, err := h.core.GetObject(ctx, s.store.cfg.Bucket, c.Key, opts)
		if err := x.outcome(err); err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		if err := checkRange(c, x.status, x.header.Get("Content-Range")); err != nil {
			return err
		}
		if err := s.drain(c, body, x.status); err != nil {
			return err
		}
		return checkEncrypted(&s.store.cfg, x.status, x.header.Get(encrypted))
	})
}

// drain reads the body to its end and checks its length.
func (s *sdkSession) drain(c *Call, body io.Reader, status int) error {
	if s.buffer == nil {
		s.buffer = make([]byte, readBuffer)
	}
	for {
		n, err := body.Read(s.buffer)
		c.Bytes += int64(n)
		if n > 0 && c.Into != nil {
			if _, werr := c.Into.Write(s.buffer[:n]); werr != nil {
				return intoError(werr, status)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			e := toError(err)
			e.Status = status
			return e
		}
	}
	return checkLength(c, status)
}

// Stat reads the head of an object.
func (s *sdkSession) Stat(ctx context.Context, c *Call) error {
	opts := minio.StatObjectOptions{VersionID: c.Version, ServerSideEncryption: s.store.sse}
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		x.object = true
		_, err := h.core.StatObject(ctx, s.store.cfg.Bucket, c.Key, opts)
		if err := x.outcome(err); err != nil {
			return err
		}
		return checkEncrypted(&s.store.cfg, x.status, x.header.Get(encrypted))
	})
}

// Delete deletes one object or version.
func (s *sdkSession) Delete(ctx context.Context, c *Call) error {
	opts := minio.RemoveObjectOptions{VersionID: c.Version}
	return s.perform(ctx, c, func(ctx context.Context, h *sdkHost, x *exchange) error {
		err := h.core.RemoveObject(ctx, s.store.cfg.Bucket, c.Key, opts)
		if x.status/100 == 2 {
			err = nil // the SDK wants exactly 204
		}
		return x.outcome(err)
	})
}
