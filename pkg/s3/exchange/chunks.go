package exchange

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strconv"
)

// What stands for the hash of a body whose chunks are signed, or that has a trailer.
const (
	SignedChunks         = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	SignedChunksTrailer  = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
	UnsignedChunkTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
)

// SignatureLength is the length of a signature, in hex.
const SignatureLength = 2 * sha256.Size

const (
	chunkSize      = 64 << 10 // of contents; what SDKs use
	emptySHA256    = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	chunkSignature = ";chunk-signature="
	trailerLine    = "x-amz-trailer-signature:"
)

// ChunkSigner continues the signature of a request over its body, with the same date, scope and key.
type ChunkSigner interface {
	Date() []byte
	Scope() []byte
	// AppendMAC appends the MAC of a text to b, in hex.
	AppendMAC(b, text []byte) ([]byte, error)
}

// Chunks is a body in the encoding aws-chunked: chunks that are signed, a checksum as a trailer behind them, or both. What is read
// again is the same again; but nothing can be read before all that precedes it was read.
type Chunks struct {
	Signed  bool      // the chunks are signed
	Trailer string    // header of the checksum, in lower case; empty: there is none
	Sum     hash.Hash // the checksum

	body   io.ReaderAt
	size   int64  // of body
	known  []byte // the checksum, if it was known before
	hashed int64  // bytes of body that Sum has

	signer         ChunkSigner
	signatures     []byte // that of the request, then of each chunk as far as they were computed
	buffer         []byte // contents of a chunk, while it is signed and sent
	buffered       int64  // number of that chunk; -1: none
	sha            hash.Hash
	tail           []byte // what follows the last byte of contents and its line end
	checksumOffset int    // where the checksum is in tail
	head, text     []byte
	digest         []byte
}

// Reset makes c the encoding of a body, whose checksum may be known; nil: it is computed while the body is read.
func (c *Chunks) Reset(body io.ReaderAt, size int64, sum []byte) {
	c.body, c.size, c.known, c.hashed, c.buffered, c.tail = body, size, sum, 0, -1, c.tail[:0]
	c.signatures = c.signatures[:0]
	if c.Sum != nil {
		c.Sum.Reset()
	}
}

// payloadHash returns what the signature of the request says about the body.
func (c *Chunks) payloadHash() string {
	switch {
	case !c.Signed:
		return UnsignedChunkTrailer
	case c.Trailer != "":
		return SignedChunksTrailer
	}
	return SignedChunks
}

// Sign begins the signatures of chunks with that of the request.
func (c *Chunks) Sign(s ChunkSigner, signature []byte) {
	c.signer, c.buffered, c.tail = s, -1, c.tail[:0]
	c.signatures = append(c.signatures[:0], signature...)
}

// Len returns the length of the encoded body.
func (c *Chunks) Len() int64 {
	n := c.size/chunkSize*c.encoded(chunkSize) + c.tailLen()
	if rest := c.size % chunkSize; rest > 0 {
		n += c.encoded(rest)
	}
	return n
}

// encoded returns the length of an encoded chunk.
func (c *Chunks) encoded(size int64) int64 { return c.headLen(size) + size + 2 }

// headLen returns the length of the line before a chunk.
func (c *Chunks) headLen(size int64) (n int64) {
	for n = 3; size > 15; size >>= 4 {
		n++
	}
	if c.Signed {
		n += int64(len(chunkSignature) + SignatureLength)
	}
	return n
}

func (c *Chunks) tailLen() int64 {
	n := int(c.headLen(0))
	if c.Trailer != "" {
		n += len(c.Trailer) + len(":\r\n") + base64.StdEncoding.EncodedLen(c.Sum.Size())
		if c.Signed {
			n += len(trailerLine) + SignatureLength + 2
		}
	}
	return int64(n + 2)
}

// Checksum returns the checksum of a body that was read to its end, as the trailer states it.
func (c *Chunks) Checksum() string {
	return string(c.tail[c.checksumOffset:][:base64.StdEncoding.EncodedLen(c.Sum.Size())])
}

// ReadAt reads the encoded body.
func (c *Chunks) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		m, err := c.read(p[n:], off+int64(n))
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

var errOutOfOrder = errors.New("a part of the body was read before what precedes it")

// read reads at least one byte.
func (c *Chunks) read(p []byte, off int64) (n int, err error) {
	whole := c.encoded(chunkSize)
	i, at := off/whole, off%whole
	size := min(chunkSize, c.size-i*chunkSize)
	if size <= 0 || size < chunkSize && at >= c.encoded(size) {
		at = off - c.Len() + c.tailLen()
		if err := c.makeTail(); err != nil {
			return 0, err
		}
		if at >= int64(len(c.tail)) {
			return 0, io.EOF
		}
		return copy(p, c.tail[at:]), nil
	}
	head := c.headLen(size)
	switch {
	case at < head:
		if err := c.makeHead(i, size); err != nil {
			return 0, err
		}
		return copy(p, c.head[at:]), nil
	case at < head+size:
		return c.readContents(p[:min(int64(len(p)), head+size-at)], i, at-head)
	}
	return copy(p, "\r\n"[at-head-size:]), nil
}

// readContents reads contents of chunk i.
func (c *Chunks) readContents(p []byte, i, at int64) (int, error) {
	if i == c.buffered {
		return copy(p, c.buffer[at:]), nil
	}
	off := i*chunkSize + at
	return len(p), c.readBody(p, off)
}

// readBody reads contents, and adds what is new of them to the checksum.
func (c *Chunks) readBody(p []byte, off int64) error {
	if n, err := c.body.ReadAt(p, off); n < len(p) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if c.Sum == nil || c.known != nil {
		return nil
	}
	if off > c.hashed {
		return errOutOfOrder
	}
	if fresh := off + int64(len(p)) - c.hashed; fresh > 0 {
		_, _ = c.Sum.Write(p[int64(len(p))-fresh:]) // it never fails
		c.hashed += fresh
	}
	return nil
}

// makeHead makes the line before chunk i.
func (c *Chunks) makeHead(i, size int64) error {
	c.head = strconv.AppendInt(c.head[:0], size, 16)
	if c.Signed {
		signature, err := c.signature(i, size)
		if err != nil {
			return err
		}
		c.head = append(append(c.head, chunkSignature...), signature...)
	}
	c.head = append(c.head, "\r\n"...)
	return nil
}

// signature returns the signature of chunk i.
func (c *Chunks) signature(i, size int64) ([]byte, error) {
	known := int64(len(c.signatures)/SignatureLength) - 1
	if i > known || known < 0 {
		return nil, errOutOfOrder
	}
	if i == known {
		if err := c.load(i, size); err != nil {
			return nil, err
		}
		c.sha.Reset()
		_, _ = c.sha.Write(c.buffer) // it never fails
		if err := c.sign("AWS4-HMAC-SHA256-PAYLOAD", emptySHA256); err != nil {
			return nil, err
		}
	}
	return c.signatures[(i+1)*SignatureLength:][:SignatureLength], nil
}

// load reads chunk i into the buffer.
func (c *Chunks) load(i, size int64) error {
	if c.sha == nil {
		c.sha, c.buffer = sha256.New(), make([]byte, chunkSize)
	}
	c.buffer, c.buffered = c.buffer[:size], -1
	if size > 0 {
		if err := c.readBody(c.buffer, i*chunkSize); err != nil {
			return err
		}
	}
	c.buffered = i
	return nil
}

// sign appends a signature of what was written to c.sha, and of the signature before it.
func (c *Chunks) sign(what, headers string) error {
	t := append(append(c.text[:0], what...), '\n')
	t = append(append(t, c.signer.Date()...), '\n')
	t = append(append(t, c.signer.Scope()...), '\n')
	t = append(append(t, c.signatures[len(c.signatures)-SignatureLength:]...), '\n')
	if headers != "" {
		t = append(append(t, headers...), '\n')
	}
	c.digest = c.sha.Sum(c.digest[:0])
	c.text = hex.AppendEncode(t, c.digest)
	var err error
	c.signatures, err = c.signer.AppendMAC(c.signatures, c.text)
	return err
}

// makeTail makes what follows the contents: an empty chunk, and the trailer.
func (c *Chunks) makeTail() error {
	switch {
	case len(c.tail) > 0:
		return nil
	case c.Trailer != "" && c.known == nil && c.hashed < c.size:
		return errOutOfOrder
	}
	if err := c.makeHead((c.size+chunkSize-1)/chunkSize, 0); err != nil {
		return err
	}
	t := append(c.tail, c.head...)
	if c.Trailer != "" {
		from := len(t)
		if c.digest = append(c.digest[:0], c.known...); c.known == nil {
			c.digest = c.Sum.Sum(c.digest)
		}
		t = append(append(t, c.Trailer...), ':')
		c.checksumOffset = len(t)
		t = base64.StdEncoding.AppendEncode(t, c.digest)
		if c.Signed {
			c.sha.Reset()
			_, _ = c.sha.Write(append(t[from:], '\n')) // it never fails
			if err := c.sign("AWS4-HMAC-SHA256-TRAILER", ""); err != nil {
				return err
			}
			t = append(append(t, "\r\n"...), trailerLine...)
			t = append(t, c.signatures[len(c.signatures)-SignatureLength:]...)
		}
		t = append(t, "\r\n"...)
	}
	c.tail = append(t, "\r\n"...)
	return nil
}
