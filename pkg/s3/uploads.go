package s3

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strconv"

	"warp/internal/option"
	"warp/pkg/s3/checksum"
	"warp/pkg/s3/exchange"
)

// Uploads says what goes with uploads beside their contents and Config.Headers.
type Uploads struct {
	Checksum   string         `json:"checksum,omitempty"`   // algorithm, one of checksum.Names; empty: none
	Trailer    bool           `json:"trailer,omitempty"`    // the checksum is sent behind the body, in the encoding aws-chunked
	MD5        bool           `json:"md5,omitempty"`        // send Content-MD5
	Payload    string         `json:"payload,omitempty"`    // one of Payloads; empty: unsigned, with a trailer over plain HTTP: streaming
	Encryption string         `json:"encryption,omitempty"` // by the server: SSES3, SSEKMS or empty: none is requested
	KMSKey     string         `json:"kms_key,omitempty"`    // with SSEKMS; empty: the server's default
	BucketKey  bool           `json:"bucket_key,omitempty"` // with SSEKMS: one key of the KMS serves many objects
	Random     []RandomHeader `json:"random,omitempty"`     // headers whose values differ from object to object
}

// Ways to sign the contents of an upload.
const (
	PayloadUnsigned  = "unsigned"
	PayloadSigned    = "signed"    // their SHA-256 is signed with the request
	PayloadStreaming = "streaming" // the signature of the request continues over chunks of 64 KiB
)

// Payloads are all ways to sign the contents of an upload.
var Payloads = []string{PayloadUnsigned, PayloadSigned, PayloadStreaming}

// Encryptions that servers do by themselves, as S3 writes them.
const (
	SSES3  = "AES256"
	SSEKMS = "aws:kms"
)

// RandomHeader is a header whose value is random, but always the same for the same key.
type RandomHeader struct {
	Name  string       `json:"name"`
	Parts []RandomPart `json:"parts"`
}

// RandomPart is a part of the value of a RandomHeader: a text, and random letters and digits behind it.
type RandomPart struct {
	Text   string `json:"text,omitempty"`
	Length int    `json:"length,omitempty"` // of the random text
}

// MaxRandom is the largest length of a random text; S3 allows 2 KB for all metadata.
const MaxRandom = 2048

// check returns all that is wrong with the options.
func (u *Uploads) check(c *Config) (errs []error) {
	if u.Checksum != "" {
		errs = append(errs, option.OneOf("checksum", u.Checksum, checksum.Names()...))
	}
	errs = append(errs, oneOf("payload", u.Payload, Payloads...), oneOf("sse", u.Encryption, SSES3, SSEKMS))
	unsigned := c.Signature == "S3V2" || c.Signature == "anonymous"
	switch {
	case u.Trailer && u.Checksum == "":
		errs = append(errs, option.Errorf("checksum-trailer", "want --checksum as well"))
	case u.Trailer && u.Payload == PayloadSigned:
		errs = append(errs, option.Invalid("payload", u.Payload, "unsigned or streaming with --checksum-trailer"))
	case u.Trailer && unsigned:
		errs = append(errs, option.Errorf("checksum-trailer", "want --signature=S3V4"))
	case unsigned && u.Payload != "" && u.Payload != PayloadUnsigned:
		errs = append(errs, option.Errorf("payload", "%s: want --signature=S3V4", u.Payload))
	}
	if u.Encryption != "" && c.Encrypt {
		errs = append(errs, option.Errorf("encrypt", "want one kind of encryption, not SSE-C and %s", u.encryptionFlag()))
	}
	if u.Encryption != SSEKMS && (u.KMSKey != "" || u.BucketKey) {
		errs = append(errs, option.Errorf("sse-bucket-key", "want --sse-kms as well"))
	}
	for _, h := range u.Random {
		errs = append(errs, Header{Name: h.Name}.Check())
		for _, p := range h.Parts {
			errs = append(errs, Header{Name: h.Name, Value: p.Text}.Check())
			if p.Length < 0 || p.Length > MaxRandom {
				errs = append(errs, fmt.Errorf("header %q: %d random characters (want at most %d)", h.Name, p.Length, MaxRandom))
			}
		}
	}
	return errs
}

// encryptionFlag names the flag that requests the encryption.
func (u *Uploads) encryptionFlag() string {
	if u.Encryption == SSEKMS {
		return "--sse-kms"
	}
	return "--sse-s3"
}

// headers returns those that are the same for all objects.
func (u *Uploads) headers() (list []Header) {
	if u.Encryption == "" {
		return nil
	}
	list = append(list, Header{Name: "X-Amz-Server-Side-Encryption", Value: u.Encryption})
	if u.KMSKey != "" {
		list = append(list, Header{Name: "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id", Value: u.KMSKey})
	}
	if u.BucketKey {
		list = append(list, Header{Name: "X-Amz-Server-Side-Encryption-Bucket-Key-Enabled", Value: "true"})
	}
	return list
}

// payload returns how contents are signed.
func (c *Config) payload() string {
	switch {
	case c.Anonymous() || c.Signature == "S3V2":
		return PayloadUnsigned
	case c.Uploads.Payload == "" && c.Uploads.Trailer && !c.TLS:
		return PayloadStreaming
	case c.Uploads.Payload == "":
		return PayloadUnsigned
	}
	return c.Uploads.Payload
}

// describer computes what the headers and the encoding of uploads say of their contents and keys. It is part of a session.
type describer struct {
	random    []RandomHeader
	algorithm *checksum.Algorithm
	sums      []headerSum
	payload   hash.Hash        // to be signed; nil: none. It may be one of sums.
	hashes    []hash.Hash      // of all sums, each once
	chunks    *exchange.Chunks // nil: bodies are sent as they are

	buffer  []byte
	text    []byte // values of headers, one after the other
	digest  []byte
	headers []Header
	ends    []int // of the values in text
}

// headerSum is a checksum that is sent in a header.
type headerSum struct {
	name string
	hash hash.Hash
}

// newDescriber returns nil if uploads need none.
func newDescriber(c *Config) *describer {
	u, payload := &c.Uploads, c.payload()
	d := &describer{random: u.Random}
	if u.Checksum != "" {
		d.algorithm = checksum.Find(u.Checksum)
	}
	if d.algorithm != nil && !u.Trailer {
		d.add(d.algorithm)
	}
	if u.MD5 {
		d.add(checksum.MD5)
	}
	if payload == PayloadSigned {
		if d.algorithm == checksum.SHA256 {
			d.payload = d.hashes[0]
		} else {
			d.payload = checksum.SHA256.New()
			d.hashes = append(d.hashes, d.payload)
		}
	}
	if payload == PayloadStreaming || u.Trailer {
		d.chunks = &exchange.Chunks{Signed: payload == PayloadStreaming}
		if u.Trailer {
			d.chunks.Trailer, d.chunks.Sum = d.algorithm.Header, d.algorithm.New()
		}
	}
	if len(d.random) == 0 && d.algorithm == nil && len(d.hashes) == 0 && d.chunks == nil {
		return nil
	}
	if len(d.hashes) > 0 {
		d.buffer = make([]byte, describeBuffer)
	}
	return d
}

// describeBuffer is how much of a body is hashed at a time; it stays in the CPU's second-level cache.
const describeBuffer = 64 << 10

func (d *describer) add(a *checksum.Algorithm) {
	h := a.New()
	d.sums, d.hashes = append(d.sums, headerSum{http.CanonicalHeaderKey(a.Header), h}), append(d.hashes, h)
}

// describe completes the request of a call that makes an object, or a part of one.
func (d *describer) describe(c *Call, q *exchange.Request) error {
	d.headers, d.text, d.ends = append(d.headers[:0], c.Headers...), d.text[:0], d.ends[:0]
	own := len(d.headers)
	if c.Access == MakesObjects {
		d.addRandom(c.Key)
	}
	switch {
	case c.Body != nil:
		if err := d.addSums(c); err != nil {
			return err
		}
	case c.Method == http.MethodPost && c.Access == MakesObjects && d.algorithm != nil: // a multipart upload begins
		d.headers = append(d.headers, Header{Name: "X-Amz-Checksum-Algorithm", Value: d.algorithm.Name})
	}
	if c.Body != nil && d.chunks != nil {
		d.chunks.Reset(c.Body, c.Size)
		d.text = strconv.AppendInt(d.text, c.Size, 10)
		d.value("X-Amz-Decoded-Content-Length")
		q.Body, q.Size, q.Chunks = d.chunks, d.chunks.Len(), d.chunks
	}
	signed, from := c.Body != nil && d.payload != nil && c.Payload == "", len(d.text)
	if signed {
		d.digest = d.payload.Sum(d.digest[:0])
		d.text = hex.AppendEncode(d.text, d.digest)
	}
	text := string(d.text)
	if signed {
		q.Payload = text[from:]
	}
	from = 0
	for i, end := range d.ends {
		d.headers[own+i].Value = text[from:end]
		from = end
	}
	if q.Chunks != nil {
		d.headers = append(d.headers, Header{Name: "Content-Encoding", Value: "aws-chunked"})
		if d.chunks.Trailer != "" {
			d.headers = append(d.headers, Header{Name: "X-Amz-Trailer", Value: d.chunks.Trailer})
		}
	}
	q.Headers = d.headers
	return nil
}

// value adds a header whose value is what was appended to d.text.
func (d *describer) value(name string) {
	d.headers, d.ends = append(d.headers, Header{Name: name}), append(d.ends, len(d.text))
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// addRandom adds the random headers of a key.
func (d *describer) addRandom(key string) {
	if len(d.random) == 0 {
		return
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // it never fails
	r := rand.NewPCG(h.Sum64(), 0)
	for i := range d.random {
		for _, p := range d.random[i].Parts {
			d.text = append(d.text, p.Text...)
			for range p.Length {
				d.text = append(d.text, letters[r.Uint64()%uint64(len(letters))])
			}
		}
		d.value(d.random[i].Name)
	}
}

// addSums adds the checksums that are sent in headers.
func (d *describer) addSums(c *Call) error {
	for _, h := range d.hashes {
		h.Reset()
	}
	if len(d.hashes) > 0 {
		if err := checksum.Read(c.Body, c.Size, d.buffer, d.hashes...); err != nil {
			return fmt.Errorf("%w: %w", exchange.ErrBody, err)
		}
	}
	for _, s := range d.sums {
		d.digest = s.hash.Sum(d.digest[:0])
		d.text = base64.StdEncoding.AppendEncode(d.text, d.digest)
		d.value(s.name)
	}
	return nil
}
