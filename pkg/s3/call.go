package s3

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"warp/pkg/s3/checksum"
	"warp/pkg/s3/exchange"
)

// Header is a header of a request.
type Header = exchange.Header

// Param is a parameter of a query. Neither name nor value is escaped.
type Param = exchange.Param

// Auth is how a request proves that it may be performed.
type Auth uint8

// Ways to authenticate a request. Those but the first are signed before the request starts, so that signing is no part of its time.
const (
	AuthHeader Auth = iota // by a header
	AuthQuery              // by parameters of its URL, as in links that are handed on (presigned)
	AuthForm               // by the policy of a form, as browsers upload files
)

// Checksum is a checksum of the contents of an upload.
type Checksum struct {
	*checksum.Algorithm        // nil: no checksum
	Text                string // as headers state it
	FullObject          bool   // of an object in parts: it covers the contents; else the checksums of the parts
}

// Type is S3's name for the kind of checksum that an object in parts has.
func (c Checksum) Type() string {
	if c.FullObject {
		return "FULL_OBJECT"
	}
	return "COMPOSITE"
}

// Access is what a request does to the contents of objects. Headers of the configuration go with it.
type Access uint8

// What requests do to the contents of objects.
const (
	NoAccess     Access = iota // nothing; no headers are added
	JoinsParts                 // it makes an object of parts: with the key of SSE-C if they have checksums
	ReadsWrites                // it reads or writes them, with the key of SSE-C, whose use the response must confirm
	MakesObjects               // it makes an object: the same, and Config.Headers
)

// Contents reports whether contents go over the wire, or are copied.
func (a Access) Contents() bool { return a == ReadsWrites || a == MakesObjects }

// Act is what a request does that is not plain from its method, in the words of a user, and the right that it takes. Servers may lack it.
type Act struct {
	Words string // as in "cannot read the tags of objects"
	Right string // as S3 calls it
}

// Call is one request and its response. A worker reuses one Call, so that an operation costs no memory.
//
// The functions of package ops set what makes their request; their caller sets Key and what else they name.
type Call struct {
	Method  string
	Key     string      // of the object; empty: the request is about the bucket
	Bucket  int         // number of the bucket; see Config.BucketName
	Other   string      // name of another bucket instead; see Config.OtherBuckets
	Path    []byte      // of a request that is about something else than bucket and key, escaped; nil: they are the path
	Query   []Param     // need not be sorted
	Headers []Header    // they replace headers of the configuration with the same name
	Act     Act         // zero: what the method says
	Access  Access      // what the request does to the contents of objects
	Auth    Auth        // how the request proves that it may be performed
	Form    []Param     // with AuthForm: fields in addition to the usual ones
	Body    io.ReaderAt // of a request with one; it is read from its start
	Size    int64       // length of Body; of a GET or HEAD: that of the object, or of the part that Query names; -1 if unknown
	Payload string      // SHA-256 of Body in hex, to be signed; empty: it is not hashed
	Want    []string    // headers of the response to copy into Got, in lower case

	// Offset and Length are the range of a GET; a Length of 0 is the whole object.
	Offset, Length int64

	// Parse reads the body of a successful response, more than once if the request is retried. Without it that of a GET goes into
	// Into, or is thrown away if that is nil as well; that of other requests must hold nothing but a confirmation.
	Parse func(io.Reader) error
	Into  io.Writer
	// Take is Parse for a short body that nothing is kept of, so that it costs no memory. It returns the version that the body states, if
	// any. At most one of the two is set.
	Take func(c *Call, body []byte) (version []byte, err error)
	Once bool // it is not sent again if it fails: its caller sees to that

	Version  string     // of the object, for the functions for operations; empty: the current one
	Source   string     // of a copy; see CopySource
	If       Conditions // of the request
	Expected []int      // statuses that are no failure; see Outcome
	WantETag bool       // fill in ETag

	WantChecksum bool // fill in Checksum

	Response
}

// Conditions are those under which a server shall do what a request says. They are ETags as the server states them, or "*" for
// that of any object; empty: there is no condition.
type Conditions struct {
	Match, NoneMatch string
}

// AppendConditions appends the headers of conditions.
func AppendConditions(all []Header, c Conditions) []Header {
	if c.Match != "" {
		all = append(all, Header{Name: "If-Match", Value: c.Match})
	}
	if c.NoneMatch != "" {
		all = append(all, Header{Name: "If-None-Match", Value: c.NoneMatch})
	}
	return all
}

// Response is what came of a Call.
type Response struct {
	Host           string        // URL of the host that the request went to
	MaybeSent      bool          // some of it may have reached the server, which may have carried it out
	Start          time.Time     // when it was sent, the last time if there were retries
	Sent           time.Time     // last body byte handed over
	FirstByte      time.Time     // first byte of the response
	Arrived        time.Time     // the kernel had its last byte; zero: unknown
	Bytes          int64         // body bytes moved
	Status         int           // HTTP status; 0 if there was no response
	Requests       int           // how often it left, without redirects
	Retries        int           // how often it was sent again after it had failed; see Config.Retries
	Resent         int           // how often it was sent again at once, since the server had closed the reused connection
	Connected      int           // connections that were made for it
	Connect        time.Duration // how long that took (name lookup, TCP, TLS); it is part of the operation's time
	LongestConnect time.Duration // how long one of them took
	Streams        int           // of HTTP/2 that it was
	Stream         uint64        // number of the connection of the last of them
	Redirects      int           // that were followed (307, 308)
	Redirected     time.Duration // how long that took, until the last exchange began; it is part of the operation's time
	VersionID      string        // version that was made or read
	ETag           string        // of the object, with its quotes; see Call.WantETag
	Checksum       Checksum      // of Body, as it was sent; see Call.WantChecksum
	WiderPrefix    bool          // of a listing: it was sent with a shorter prefix, as directory buckets demand
	PlainRange     bool          // of a ranged GET: the range came with status 200 instead of 206
	Got            []string      // headers of the response; see Call.Want
}

// After adds an earlier request of the same operation: together they are one.
func (r *Response) After(first *Response) {
	r.Start, r.MaybeSent = first.Start, r.MaybeSent || first.MaybeSent
	r.Requests += first.Requests
	r.Retries += first.Retries
	r.Resent += first.Resent
	r.Connected += first.Connected
	r.Connect += first.Connect
	r.LongestConnect = max(r.LongestConnect, first.LongestConnect)
	r.Streams += first.Streams
	r.Redirects += first.Redirects
	r.Redirected += first.Redirected
	r.VersionID, r.ETag = cmp.Or(r.VersionID, first.VersionID), cmp.Or(r.ETag, first.ETag)
}

// Reset clears a Call for its next use; it keeps the memory of its slices.
func (c *Call) Reset() {
	*c = Call{Size: -1, Query: c.Query[:0], Headers: c.Headers[:0], Want: c.Want[:0], Response: Response{Got: c.Got[:0]}}
}

// Begin begins a request on what the caller has set: Key, Version, the range, Body, Into, Size. Whatever an earlier request of
// the Call left is cleared.
func (c *Call) Begin(method string, a Access) {
	*c = Call{
		Method:   method,
		Access:   a,
		Auth:     c.Auth,
		Bucket:   c.Bucket,
		Other:    c.Other,
		Key:      c.Key,
		Version:  c.Version,
		Offset:   c.Offset,
		Length:   c.Length,
		Body:     c.Body,
		Size:     c.Size,
		Into:     c.Into,
		If:       c.If,
		Expected: c.Expected,
		WantETag: c.WantETag,
		Query:    c.Query[:0],
		Headers:  c.Headers[:0],
		Want:     c.Want[:0],
		Response: Response{Got: c.Got[:0]},
	}
}

// SendsContents reports whether the body is that of an object, or of a part: others are documents about one.
func (c *Call) SendsContents() bool {
	return c.Body != nil && c.Method == http.MethodPut && c.Access.Contents()
}

// Reads reports whether the request is a GET or a HEAD.
func (c *Call) Reads() bool { return c.Method == http.MethodGet || c.Method == http.MethodHead }

// ReadsOnly reports whether the request changes nothing. A POST that has to do with contents is a query on them.
func (c *Call) ReadsOnly() bool {
	return c.Method == http.MethodGet || c.Method == http.MethodHead || c.Method == http.MethodPost && c.Access == ReadsWrites
}

// SetQuery adds a parameter to the query, unless its value is empty.
func (c *Call) SetQuery(name, value string) {
	if value != "" {
		c.Query = append(c.Query, Param{Name: name, Value: value})
	}
}

// BeginObject begins a request without a body on an object, or a version of it.
func (c *Call) BeginObject(method string, a Access) {
	c.Begin(method, a)
	c.Body = nil
	c.SetQuery("versionId", c.Version)
}

// BeginKey begins a request on a key, or on the bucket itself if that is empty. It uses nothing else that the caller has set but the
// bucket and Expected.
func (c *Call) BeginKey(key, method string, a Access) {
	bucket, other, expected := c.Bucket, c.Other, c.Expected
	c.Reset()
	c.Bucket, c.Other, c.Key, c.Expected = bucket, other, key, expected
	c.Begin(method, a)
}

// SetDocument makes a small XML document the body of a request. It is hashed, as S3 demands of several.
func (c *Call) SetDocument(text []byte) {
	sum, check := sha256.Sum256(text), md5.Sum(text)
	c.Body, c.Size, c.Payload = bytes.NewReader(text), int64(len(text)), hex.EncodeToString(sum[:])
	c.Headers = append(c.Headers,
		Header{Name: "Content-Md5", Value: base64.StdEncoding.EncodeToString(check[:])},
		Header{Name: "Content-Type", Value: "application/xml"})
}
