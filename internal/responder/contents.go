package responder

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"warp/pkg/s3/checksum"
)

// badBody is what is wrong with the body of a request, as S3 calls it.
type badBody struct {
	status int
	code   string
}

// Error returns the code.
func (b *badBody) Error() string { return b.code }

var (
	errIncomplete   = &badBody{http.StatusBadRequest, "IncompleteBody"}
	errDigest       = &badBody{http.StatusBadRequest, "BadDigest"}
	errTrailer      = &badBody{http.StatusBadRequest, "MalformedTrailerError"}
	errNotSigned    = &badBody{http.StatusForbidden, "SignatureDoesNotMatch"}
	errPayloadHash  = &badBody{http.StatusBadRequest, "XAmzContentSHA256Mismatch"}
	streamingPrefix = "STREAMING-"
	signedPrefix    = "STREAMING-" + signatureV4
)

// contents makes the body of a request what it holds: without the encoding aws-chunked, and with an error at its end unless it has the
// checksums that the request or its trailer state, and chunks have the signatures of their key.
func contents(r *http.Request, s *signature) {
	payload := r.Header.Get("X-Amz-Content-Sha256")
	c := &checked{Reader: r.Body}
	if len(payload) == hex.EncodedLen(sha256.Size) {
		c.sums = append(c.sums, stated{sha256.New(), hex.EncodeToString, payload, errPayloadHash})
	}
	if r.Method == http.MethodPut { // in other requests these headers are not about the body
		for name, a := range algorithms {
			if values := r.Header[name]; values != nil {
				c.sums = append(c.sums, stated{a.New(), base64.StdEncoding.EncodeToString, values[0], errDigest})
			}
		}
	}
	if strings.HasPrefix(payload, streamingPrefix) {
		length, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
		if err != nil {
			length = -1
		}
		u := &unchunked{in: bufio.NewReader(r.Body), left: -1, length: length, trailer: r.Header.Get("X-Amz-Trailer"), checked: c}
		if a := algorithms[http.CanonicalHeaderKey(u.trailer)]; a != nil {
			c.sums = append(c.sums, stated{a.New(), base64.StdEncoding.EncodeToString, "", errDigest})
		}
		if u.signed = strings.HasPrefix(payload, signedPrefix); u.signed && s != nil && s.key != nil {
			u.s, u.previous, u.sha = s, s.value, sha256.New()
		}
		c.Reader, r.ContentLength = u, length
	}
	if len(c.sums) > 0 || c.Reader != r.Body {
		r.Body = struct {
			io.Reader
			io.Closer
		}{c, r.Body}
	}
}

// checked reads contents and compares their checksums at the end.
type checked struct {
	io.Reader
	sums []stated
}

// stated is a checksum that was stated.
type stated struct {
	hash.Hash
	text func([]byte) string
	want string
	err  error
}

// algorithms are the algorithms of checksums by header.
var algorithms = func() map[string]*checksum.Algorithm {
	m := map[string]*checksum.Algorithm{http.CanonicalHeaderKey(checksum.MD5.Header): checksum.MD5}
	for _, name := range checksum.Names() {
		a := checksum.Find(name)
		m[http.CanonicalHeaderKey(a.Header)] = a
	}
	return m
}()

// Read reads contents.
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	for i := range c.sums {
		_, _ = c.sums[i].Write(p[:n]) // it never fails
	}
	if err == io.EOF {
		for _, s := range c.sums {
			if s.text(s.Sum(nil)) != s.want {
				return n, s.err
			}
		}
	}
	return n, err
}

// unchunked reads what a body in the encoding aws-chunked holds.
type unchunked struct {
	in      *bufio.Reader
	left    int64    // of the chunk at hand; -1: none has begun
	length  int64    // that is stated
	total   int64    // so far
	trailer string   // name of the header behind the contents; empty without a trailer
	checked *checked // whose last checksum is that of the trailer

	signed   bool
	s        *signature // nil: chunks are not signed, or the key is not known
	previous string     // signature
	want     string     // signature of the chunk at hand
	sha      hash.Hash  // of the chunk at hand
}

// line reads a line.
func (u *unchunked) line() (string, error) {
	line, err := u.in.ReadString('\n')
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err
}

// Read reads contents.
func (u *unchunked) Read(p []byte) (int, error) {
	if u.left <= 0 {
		if err := u.next(); err != nil {
			return 0, incomplete(err)
		}
		if u.left == 0 {
			return 0, u.end()
		}
	}
	n, err := u.in.Read(p[:min(int64(len(p)), u.left)])
	u.left -= int64(n)
	u.total += int64(n)
	if u.s != nil {
		_, _ = u.sha.Write(p[:n]) // it never fails
	}
	return n, incomplete(err)
}

func incomplete(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errIncomplete
	}
	return err
}

// next ends a chunk and reads the line before the next one.
func (u *unchunked) next() error {
	if u.left == 0 {
		if line, err := u.line(); err != nil || line != "" {
			return errIncomplete
		}
		if err := u.verify(); err != nil {
			return err
		}
	}
	line, err := u.line()
	if err != nil {
		return err
	}
	size, extension, _ := strings.Cut(line, ";")
	if u.left, err = strconv.ParseInt(size, 16, 63); err != nil || u.left < 0 {
		return errIncomplete
	}
	u.want = strings.TrimPrefix(extension, "chunk-signature=")
	return nil
}

// verify checks the signature of the chunk that has been read.
func (u *unchunked) verify() error {
	if u.s == nil {
		return nil
	}
	sum := hex.EncodeToString(u.sha.Sum(nil))
	u.sha.Reset()
	return u.follows(u.s.sign(signatureV4+"-PAYLOAD", strings.Join([]string{u.previous, hexSum(""), sum}, "\n")), u.want)
}

// follows checks a signature, which the next one continues.
func (u *unchunked) follows(want, got string) error {
	if got != want {
		return errNotSigned
	}
	u.previous = want
	return nil
}

// end reads what follows the last chunk, which is empty; io.EOF: all is well.
func (u *unchunked) end() error {
	if err := u.verify(); err != nil {
		return err
	}
	if u.trailer != "" {
		if err := u.readTrailer(); err != nil {
			return incomplete(err)
		}
	}
	line, err := u.line()
	rest, _ := io.Copy(io.Discard, u.in)
	if err != nil || line != "" || rest > 0 || u.total != u.length {
		return errIncomplete
	}
	return io.EOF
}

func (u *unchunked) readTrailer() error {
	line, err := u.line()
	if err != nil {
		return err
	}
	name, value, _ := strings.Cut(line, ":")
	if name != u.trailer || algorithms[http.CanonicalHeaderKey(name)] == nil {
		return errTrailer
	}
	u.checked.sums[len(u.checked.sums)-1].want = value
	if !u.signed {
		return nil
	}
	signed, err := u.line()
	if err != nil || u.s == nil {
		return err
	}
	got, ok := strings.CutPrefix(signed, "x-amz-trailer-signature:")
	if !ok {
		return errTrailer
	}
	return u.follows(u.s.sign(signatureV4+"-TRAILER", u.previous+"\n"+hexSum(line+"\n")), got)
}
