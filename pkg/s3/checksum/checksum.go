// Package checksum computes the checksums of contents that S3 knows.
package checksum

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"io"

	"github.com/minio/crc64nvme"
)

// Algorithm is a way to compute a checksum.
type Algorithm struct {
	Name   string // as S3 writes it
	Header string // that states the checksum, in lower case
	Size   int    // of the checksum in bytes
	New    func() hash.Hash
}

// Length returns the length of the checksum in a header, which is in base64.
func (a *Algorithm) Length() int { return base64.StdEncoding.EncodedLen(a.Size) }

// MD5 is the checksum of the header Content-MD5. It is older than the others, and not one of them.
var MD5 = &Algorithm{"MD5", "content-md5", md5.Size, md5.New}

// SHA256 is also what signatures of payloads are made of.
var SHA256 = &Algorithm{"SHA256", "x-amz-checksum-sha256", sha256.Size, sha256.New}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var algorithms = []*Algorithm{
	{"CRC32", "x-amz-checksum-crc32", crc32.Size, func() hash.Hash { return crc32.NewIEEE() }},
	{"CRC32C", "x-amz-checksum-crc32c", crc32.Size, func() hash.Hash { return crc32.New(castagnoli) }},
	{"CRC64NVME", "x-amz-checksum-crc64nvme", crc64nvme.Size, func() hash.Hash { return crc64nvme.New() }},
	{"SHA1", "x-amz-checksum-sha1", sha1.Size, sha1.New},
	SHA256,
}

// Find returns the algorithm of a name; nil if S3 has none of that name.
func Find(name string) *Algorithm {
	for _, a := range algorithms {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Names returns the names of all algorithms.
func Names() (names []string) {
	for _, a := range algorithms {
		names = append(names, a.Name)
	}
	return names
}

// Read writes the first size bytes of r to all hashes, through a buffer.
func Read(r io.ReaderAt, size int64, buffer []byte, hashes ...hash.Hash) error {
	for off := int64(0); off < size; {
		p := buffer[:min(int64(len(buffer)), size-off)]
		n, err := r.ReadAt(p, off)
		if n < len(p) {
			return shortError(err)
		}
		for _, h := range hashes {
			_, _ = h.Write(p) // it never fails
		}
		off += int64(n)
	}
	return nil
}

// shortError returns the error of a body that has less than it should.
func shortError(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
