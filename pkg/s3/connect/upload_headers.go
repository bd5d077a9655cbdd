package connect

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strconv"

	"warp/pkg/s3"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/exchange"
)

// uploadHeaders computes what the headers and the encoding of uploads say of their contents and keys. It is part of a session.
type uploadHeaders struct {
	random    []s3.RandomHeader
	algorithm *checksum.Algorithm // nil: no checksum
	fast      *checksum.Fast      // computes it for contents that are made for it; nil: it has no such way
	sum       hash.Hash           // the checksum, if it is sent in a header
	md5       hash.Hash           // of Content-MD5; may be nil
	payload   hash.Hash           // to be signed, perhaps the same as sum; may be nil
	hashes    []hash.Hash         // all of these, each once; sum is the last of them
	chunks    *exchange.Chunks    // nil: bodies are sent as they are
	sumHeader string              // of the checksum, as the store names it
	sumPrefix string              // of its value
	named     bool                // see s3.Uploads
	full      bool                // the checksum of an object that is uploaded in parts is that of its contents

	buffer  []byte
	known   []byte // the checksum of the present contents, if fast computed it
	digest  []byte
	text    []byte // values of headers, one after the other
	ends    []int  // of the values in text
	headers []s3.Header
}

// newUploadHeaders returns nil if uploads need none.
func newUploadHeaders(c *s3.Config, dialect s3.Dialect) *uploadHeaders {
	if dialect.Upload("Content-Md5") == "" {
		return nil
	}
	u, payload := &c.Uploads, payload(c)
	d := &uploadHeaders{random: slices.Clone(u.Random)}
	for i := range d.random {
		d.random[i].Name = dialect.Upload(d.random[i].Name)
	}
	if u.MD5 {
		d.md5 = d.hash(checksum.MD5)
	}
	if u.Checksum != "" {
		d.algorithm, d.full = checksum.Find(u.Checksum), u.WholeChecksum()
		d.fast = checksum.NewFast(d.algorithm)
		d.sumHeader, d.sumPrefix = dialect.Upload(d.algorithm.Header), dialect.Names().SumPrefix
	}
	if payload == s3.PayloadSigned {
		d.payload = d.hash(checksum.SHA256)
	}
	switch {
	case u.Trailer || d.algorithm == nil:
	case d.algorithm == checksum.SHA256 && d.payload != nil:
		d.sum = d.payload
	default:
		d.sum = d.hash(d.algorithm)
	}
	d.named = u.Trailer && u.Named
	if payload == s3.PayloadStreaming || u.Trailer {
		d.chunks = &exchange.Chunks{Signed: payload == s3.PayloadStreaming}
		if u.Trailer {
			d.chunks.Trailer, d.chunks.Sum = d.algorithm.Header, d.algorithm.New()
		}
	}
	if len(d.random) == 0 && len(d.hashes) == 0 && d.chunks == nil {
		return nil
	}
	return d
}

func (d *uploadHeaders) hash(a *checksum.Algorithm) hash.Hash {
	h := a.New()
	d.hashes = append(d.hashes, h)
	return h
}

// set completes the request of a call that makes an object, or a part of one.
func (d *uploadHeaders) set(c *s3.Call, q *exchange.Request) error {
	d.headers, d.text, d.ends = append(d.headers[:0], q.Headers...), d.text[:0], d.ends[:0]
	if c.Access == s3.MakesObjects {
		d.addRandom(c.Key)
	}
	signed := c.Body != nil && d.payload != nil && c.Payload == ""
	if c.Body != nil {
		if err := d.addSums(c); err != nil {
			return err
		}
		if d.chunks != nil {
			d.chunks.Reset(c.Body, c.Size, d.known)
			d.text = strconv.AppendInt(d.text, c.Size, 10)
			d.add("X-Amz-Decoded-Content-Length")
			q.Body, q.Size, q.Chunks = d.chunks, d.chunks.Len(), d.chunks
		}
	}
	if signed {
		d.digest = d.payload.Sum(d.digest[:0])
		d.text = hex.AppendEncode(d.text, d.digest)
	}
	text, from := string(d.text), 0
	for i, end := range d.ends {
		d.headers[len(q.Headers)+i].Value = text[from:end]
		from = end
	}
	if signed {
		q.Payload = text[from:]
	}
	switch {
	case q.Chunks != nil:
		d.headers = append(d.headers, s3.Header{Name: "Content-Encoding", Value: "aws-chunked"})
		if d.chunks.Trailer != "" {
			d.headers = append(d.headers, s3.Header{Name: "X-Amz-Trailer", Value: d.chunks.Trailer})
		}
		if d.named {
			d.nameAlgorithm()
		}
	case c.Body == nil && c.Method == http.MethodPost && d.statesAlgorithm(): // a multipart upload begins
		d.headers = append(d.headers,
			s3.Header{Name: "X-Amz-Checksum-Algorithm", Value: d.algorithm.Name},
			s3.Header{Name: "X-Amz-Checksum-Type", Value: s3.Checksum{FullObject: d.full}.Type()})
	}
	q.Headers = d.headers
	return nil
}

// nameAlgorithm adds the headers about a trailer that MinIO's SDK sends.
func (d *uploadHeaders) nameAlgorithm() {
	d.headers = append(d.headers, s3.Header{Name: "X-Amz-Checksum-Algorithm", Value: d.algorithm.Name})
	if d.full {
		d.headers = append(d.headers, s3.Header{Name: "X-Amz-Checksum-Type", Value: s3.Checksum{FullObject: true}.Type()})
	}
}

// statesAlgorithm reports whether uploads in parts name their checksum, and state the checksums of all parts at their end.
func (d *uploadHeaders) statesAlgorithm() bool { return d.algorithm != nil && d.sumPrefix == "" }

// checksum returns that of the contents that were sent last; without contents its text is empty.
func (d *uploadHeaders) checksum(contents bool) s3.Checksum {
	c := s3.Checksum{Algorithm: d.algorithm, FullObject: d.full}
	switch {
	case !d.statesAlgorithm():
		return s3.Checksum{}
	case !contents:
	case d.chunks != nil && d.chunks.Trailer != "":
		c.Text = d.chunks.Checksum()
	default:
		c.Text = d.headers[slices.IndexFunc(d.headers, func(h s3.Header) bool { return h.Name == d.algorithm.Header })].Value
	}
	return c
}

// add adds a header whose value is what was appended to d.text.
func (d *uploadHeaders) add(name string) {
	d.headers, d.ends = append(d.headers, s3.Header{Name: name}), append(d.ends, len(d.text))
}

// addRandom adds the random headers of a key.
func (d *uploadHeaders) addRandom(key string) {
	if len(d.random) == 0 {
		return
	}
	r := s3.RandomOf(key)
	for i := range d.random {
		d.text = d.random[i].Append(d.text, r)
		d.add(d.random[i].Name)
	}
}

// hashBuffer is how much of a body is hashed at a time; it stays in the CPU's second-level cache.
const hashBuffer = 64 << 10

// addSums computes what is known of the contents, and adds what is sent in headers.
func (d *uploadHeaders) addSums(c *s3.Call) error {
	if d.buffer == nil && (d.fast != nil || len(d.hashes) > 0) {
		d.buffer = make([]byte, hashBuffer)
	}
	if err := d.hashContents(c); err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrBody, err)
	}
	if d.md5 != nil {
		d.digest = d.md5.Sum(d.digest[:0])
		d.addDigest("Content-Md5")
	}
	if d.sum != nil {
		if d.digest = append(d.digest[:0], d.known...); d.known == nil {
			d.digest = d.sum.Sum(d.digest)
		}
		d.text = append(d.text, d.sumPrefix...)
		d.addDigest(d.sumHeader)
	}
	return nil
}

// hashContents reads the contents through all hashes that need it.
func (d *uploadHeaders) hashContents(c *s3.Call) error {
	d.known = nil
	if d.fast != nil {
		sum, err := d.fast.Sum(c.Body, c.Size, d.buffer)
		if err != nil {
			return err
		}
		d.known = sum
	}
	hashes := d.hashes
	if d.known != nil && d.sum != nil && hashes[len(hashes)-1] == d.sum {
		hashes = hashes[:len(hashes)-1]
	}
	for _, h := range hashes {
		h.Reset()
	}
	if len(hashes) == 0 {
		return nil
	}
	return checksum.Read(c.Body, c.Size, d.buffer, hashes...)
}

func (d *uploadHeaders) addDigest(name string) {
	d.text = base64.StdEncoding.AppendEncode(d.text, d.digest)
	d.add(name)
}

// payload returns how the contents of uploads are signed.
func payload(c *s3.Config) string {
	switch {
	case c.Anonymous() || c.Signature == "S3V2":
		return s3.PayloadUnsigned
	case c.Uploads.Payload == "" && c.Uploads.Trailer && !c.TLS:
		return s3.PayloadStreaming
	case c.Uploads.Payload == "":
		return s3.PayloadUnsigned
	}
	return c.Uploads.Payload
}
