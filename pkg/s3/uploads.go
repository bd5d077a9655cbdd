package s3

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"warp/internal/option"
	"warp/pkg/s3/checksum"
)

// Uploads says what is sent with uploads in addition to their contents and Config.Headers.
type Uploads struct {
	Checksum   string         `json:"checksum,omitempty"`         // algorithm that checksum.Find knows; empty: none
	FullObject bool           `json:"full_object,omitempty"`      // covers the contents of an object in parts, not its parts' checksums
	Trailer    bool           `json:"trailer,omitempty"`          // the checksum follows the body, in the encoding aws-chunked
	Named      bool           `json:"algorithm_header,omitempty"` // with Trailer: a header names the algorithm, as MinIO's SDK does
	MD5        bool           `json:"md5,omitempty"`              // send Content-MD5
	Payload    string         `json:"payload,omitempty"`          // empty: unsigned, with a trailer over plain HTTP: streaming
	Encryption string         `json:"encryption,omitempty"`       // by the server: SSES3, SSEKMS or empty: none is requested
	KMSKey     string         `json:"kms_key,omitempty"`          // with SSEKMS; empty: the server's default
	BucketKey  bool           `json:"bucket_key,omitempty"`       // with SSEKMS: one key of the KMS serves many objects
	Random     []RandomHeader `json:"random,omitempty"`           // headers whose values differ from object to object
	PartSize   int64          `json:"part_size,omitempty"`        // in bytes; larger objects are uploaded in parts of it; 0: with one request
	Chunk      int64          `json:"chunk,omitempty"`            // of resumable uploads (StoreGCS), in bytes; 0: uploads are not resumable
}

// PerObjectFlags returns the flags for headers that follow from the contents or key of an upload, so that they cannot be signed ahead.
func (u *Uploads) PerObjectFlags() (names []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"checksum", u.Checksum != ""},
		{"checksum-trailer", u.Trailer},
		{"md5", u.MD5},
		{"payload", u.Payload != "" && u.Payload != PayloadUnsigned},
		{"add-metadata, tag", len(u.Random) > 0},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// WholeChecksum reports whether the checksum of an object in parts covers its contents. CRC64NVME always does.
func (u *Uploads) WholeChecksum() bool {
	a := checksum.Find(u.Checksum)
	return a != nil && a.Combines() && (u.FullObject || a.Name == "CRC64NVME")
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

// FixRandom replaces the random headers by constant ones, with values that follow from a seed.
func (u *Uploads) FixRandom(headers *[]Header, seed uint64) {
	r := rand.NewPCG(seed, 0)
	for _, h := range u.Random {
		*headers = append(*headers, Header{Name: h.Name, Value: string(h.Append(nil, r))})
	}
	u.Random = nil
}

// RandomOf returns the random numbers that the values of random headers of a key are made of, one after the other.
func RandomOf(key string) rand.Source {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // it never fails
	return rand.NewPCG(h.Sum64(), 0)
}

// Append appends a value of the header, made of random numbers.
func (h *RandomHeader) Append(text []byte, r rand.Source) []byte {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, p := range h.Parts {
		text = append(text, p.Text...)
		for range p.Length {
			text = append(text, letters[r.Uint64()%uint64(len(letters))])
		}
	}
	return text
}

// MaxRandom is the largest length of a random text; S3 allows 2 KB for all metadata.
const MaxRandom = 2048

// check returns all that is wrong with the options: of requests whose signature, if any, cannot cover contents, and with the key of
// SSE-C, if there is one.
func (u *Uploads) check(unsigned, ssec bool) (errs []error) {
	if u.Checksum != "" && checksum.Find(u.Checksum) == nil {
		errs = append(errs, option.OneOf("checksum", u.Checksum, checksum.Names()...))
	}
	errs = append(errs, oneOf("payload", u.Payload, Payloads...), oneOf("sse", u.Encryption, SSES3, SSEKMS))
	switch {
	case u.FullObject && u.Checksum != "" && !u.WholeChecksum():
		errs = append(errs, option.Invalid("checksum", u.Checksum+"-FO",
			"an algorithm whose checksums of parts make that of an object: CRC32, CRC32C or CRC64NVME"))
	case u.Trailer && u.Checksum == "":
		errs = append(errs, option.Errorf("checksum-trailer", "want --checksum as well"))
	case u.Trailer && u.Payload == PayloadSigned:
		errs = append(errs, option.Invalid("payload", u.Payload, "unsigned or streaming with --checksum-trailer"))
	case u.Trailer && unsigned:
		errs = append(errs, option.Errorf("checksum-trailer", "want --signature=S3V4"))
	case unsigned && u.Payload != "" && u.Payload != PayloadUnsigned:
		errs = append(errs, option.Errorf("payload", "%s: want --signature=S3V4", u.Payload))
	}
	if u.Encryption != "" && ssec {
		errs = append(errs, option.Errorf("encrypt", "want one kind of encryption, not SSE-C and %s", u.EncryptionFlag()))
	}
	if u.Encryption != SSEKMS && (u.KMSKey != "" || u.BucketKey) {
		errs = append(errs, option.Errorf("sse-bucket-key", "want --sse-kms as well"))
	}
	errs = append(errs, checkHeaders(u.EncryptionHeaders())...)
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

// EncryptionFlag names the flag that requests the encryption.
func (u *Uploads) EncryptionFlag() string {
	if u.Encryption == SSEKMS {
		return "--sse-kms"
	}
	return "--sse-s3"
}

// EncryptionHeaders returns the headers that request an encryption, the same for all objects.
func (u *Uploads) EncryptionHeaders() (list []Header) {
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

func checkHeaders(headers []Header) (errs []error) {
	for _, h := range headers {
		errs = append(errs, h.Check())
	}
	return errs
}

// oneOf is option.OneOf for an option that may be left out.
func oneOf(name, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	return option.OneOf(name, value, allowed...)
}
