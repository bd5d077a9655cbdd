package connect

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
)

// reader reads responses, and checks what they say.
type reader struct {
	cfg      *s3.Config
	dialect  s3.Dialect
	names    *s3.Names
	client   exchange.Client
	uploads  *uploadHeaders    // of uploads; nil: there is nothing to say about them
	outcomes map[int]*s3.Error // by status; errors of many requests
	texts    texts             // of responses
	body     []byte            // for Call.Take
}

// texts makes strings of short texts, many of them of one piece of memory.
type texts struct{ b strings.Builder }

// piece is how much memory is taken for texts at once.
const piece = 4 << 10

func (t *texts) of(p []byte) string {
	if len(p) > t.b.Cap()-t.b.Len() {
		t.b = strings.Builder{}
		t.b.Grow(max(piece, len(p)))
	}
	from := t.b.Len()
	t.b.Write(p)
	return t.b.String()[from:]
}

// checkResponse returns nil for a success, else an *Error.
func (r *reader) checkResponse(c *s3.Call) error {
	c.VersionID = r.versionAsked(c)
	r.setVersion(c, r.client.Header(r.names.Version))
	if c.WantETag && r.names.ETag != r.names.Version {
		c.ETag = r.texts.of(r.client.Header(r.names.ETag))
	}
	if c.Status/100 != 2 {
		if slices.Contains(c.Expected, c.Status) {
			r.want(c) // as in a 308 that states what came of an upload so far
			return r.outcome(c.Status)
		}
		return r.dialect.Error(&http.Response{StatusCode: c.Status, Header: r.client.Headers(), Body: io.NopCloser(r.client)})
	}
	if r.client.Result().EarlyResponse { // it cannot know what it says to have done
		return s3.Errorf(s3.ClassBadResponse, c.Status, "the server confirmed an upload that it had not received in full")
	}
	if err := r.checkHead(c); err != nil {
		return err
	}
	r.want(c)
	if err := r.readBody(c); err != nil {
		e := s3.Classify(err)
		e.Status = c.Status
		return e
	}
	if c.WantChecksum && r.uploads != nil {
		c.Checksum = r.uploads.checksum(c.Body != nil)
	}
	return nil
}

// setVersion sets the version, which may also be what conditions take.
func (r *reader) setVersion(c *s3.Call, version []byte) {
	if string(version) != c.VersionID {
		c.VersionID = r.texts.of(version)
	}
	if c.WantETag && r.names.ETag == r.names.Version {
		c.ETag = c.VersionID
	}
}

// want copies headers that the caller wants.
func (r *reader) want(c *s3.Call) {
	for c.Got = c.Got[:0]; len(c.Got) < len(c.Want); {
		c.Got = append(c.Got, string(r.client.Header(c.Want[len(c.Got)])))
	}
}

// outcome reads a response whose status is expected, and returns its error.
func (r *reader) outcome(status int) error {
	if _, err := r.client.Discard(); err != nil {
		e := s3.Classify(err)
		e.Status = 0 // it is no outcome
		return e
	}
	if r.outcomes[status] == nil {
		if r.outcomes == nil {
			r.outcomes = map[int]*s3.Error{}
		}
		r.outcomes[status] = s3.StatusError(status)
	}
	return r.outcomes[status]
}

// checkHead returns an error if the head of a response of status 2xx says that the server did something else than it was asked for.
func (r *reader) checkHead(c *s3.Call) error {
	if err := r.checkSuccess(c); err != nil {
		return err
	}
	if err := r.checkVersion(c); err != nil {
		return err
	}
	if c.Source != "" {
		if err := checkSource(c, r.client.Header(r.names.SourceVersion)); err != nil {
			return err
		}
	}
	if c.Method == http.MethodHead && c.Key != "" && c.Size >= 0 {
		return checkStated(c, r.client.Header("content-length"))
	}
	return nil
}

// readBody reads the body of a successful response, and checks what its head says about that.
func (r *reader) readBody(c *s3.Call) error {
	unconfirmed := r.checkEncryption(c)
	switch {
	case c.Take != nil:
		if err := r.take(c); err != nil {
			return err
		}
	case c.Parse != nil:
		if err := c.Parse(r.client); err != nil {
			return err
		}
		if _, err := r.client.Discard(); err != nil {
			return err
		}
	case c.Method == http.MethodGet:
		if c.Length > 0 {
			if err := checkRange(c, string(r.client.Header("content-range"))); err != nil {
				return err
			}
		}
		if err := r.drain(c); err != nil {
			return err
		}
		if err := checkLength(c); err != nil {
			return err
		}
	case c.Method != http.MethodHead:
		if err := r.confirm(c); err != nil {
			return err
		}
	}
	if unconfirmed == nil && c.SendsContents() {
		c.Bytes = c.Size
	}
	return unconfirmed
}

// maxTaken is the longest body that Call.Take is given.
const maxTaken = 64 << 10

// take gives the body to Call.Take.
func (r *reader) take(c *s3.Call) error {
	for r.body = r.body[:0]; ; {
		p, err := r.client.Next()
		if len(r.body)+len(p) > maxTaken {
			return s3.Errorf(s3.ClassBadResponse, c.Status, "a response of more than %d KiB", maxTaken>>10)
		}
		r.body = append(r.body, p...)
		if err == io.EOF {
			version, err := c.Take(c, r.body)
			if err == nil && len(version) > 0 {
				r.setVersion(c, version)
			}
			return err
		}
		if err != nil {
			return err
		}
	}
}

// confirm reads the body of a response that should hold nothing more.
func (r *reader) confirm(c *s3.Call) error {
	p, err := r.client.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = s3.ReadConfirmation(io.MultiReader(bytes.NewReader(p), r.client), c.Status)
	return err
}

// drain reads the body to its end.
func (r *reader) drain(c *s3.Call) error {
	if c.Into == nil {
		n, err := r.client.Discard()
		c.Bytes += n
		return err
	}
	for {
		p, err := r.client.Next()
		c.Bytes += int64(len(p))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := c.Into.Write(p); err != nil {
			return intoError(err, c.Status)
		}
	}
}

const (
	// confirmsKey is the header of a server that confirms that it used the key of SSE-C.
	confirmsKey = "x-amz-server-side-encryption-customer-algorithm"
	// confirmsEncryption is the header of a server that confirms that it encrypts an object by itself.
	confirmsEncryption = "x-amz-server-side-encryption"
)

// checkEncryption makes sure that a server did not just ignore the encryption that was requested, as several do. The key of
// SSE-C is confirmed where contents go over the wire, or for a copy. Not all servers confirm either when an upload in parts begins.
func (r *reader) checkEncryption(c *s3.Call) error {
	encryption := r.cfg.Uploads.Encryption
	contents := c.SendsContents() || c.Access.Contents() && c.Reads()
	flag := ""
	switch {
	case contents && r.cfg.Encrypt && len(r.client.Header(confirmsKey)) == 0:
		flag = "--encrypt"
	case c.Access == s3.MakesObjects && c.Method != http.MethodPost && encryption != "" &&
		!strings.HasPrefix(string(r.client.Header(confirmsEncryption)), encryption):
		flag = r.cfg.Uploads.EncryptionFlag()
	default:
		return nil
	}
	return s3.Errorf(s3.ClassNoEncrypt, c.Status, "the server does not confirm that it encrypts as %s requests", flag)
}
