// Package checksum computes the checksums of contents that S3 knows.
package checksum

import (
	"cmp"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/minio/crc64nvme"
	"github.com/zeebo/xxh3"
)

// Algorithm is a way to compute a checksum.
type Algorithm struct {
	Name   string // as S3 writes it
	flag   string // as users write it; empty: the same
	Header string // that states the checksum, in lower case
	Size   int    // of the checksum in bytes
	New    func() hash.Hash
}

// Length returns the length of the checksum in a header, which is in base64.
func (a *Algorithm) Length() int { return base64.StdEncoding.EncodedLen(a.Size) }

// MD5 is the checksum of the header Content-MD5. It is older than the others, and not one of them.
var MD5 = &Algorithm{Name: "MD5", Header: "content-md5", Size: md5.Size, New: md5.New}

// SHA256 is also what signatures of payloads are made of.
var SHA256 = &Algorithm{Name: "SHA256", Header: "x-amz-checksum-sha256", Size: sha256.Size, New: sha256.New}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var algorithms = []*Algorithm{
	{"CRC32", "", "x-amz-checksum-crc32", crc32.Size, func() hash.Hash { return crc32.NewIEEE() }},
	{"CRC32C", "", "x-amz-checksum-crc32c", crc32.Size, func() hash.Hash { return crc32.New(castagnoli) }},
	{"CRC64NVME", "", "x-amz-checksum-crc64nvme", crc64nvme.Size, func() hash.Hash { return crc64nvme.New() }},
	{"SHA1", "", "x-amz-checksum-sha1", sha1.Size, sha1.New},
	SHA256,
	{"SHA512", "", "x-amz-checksum-sha512", sha512.Size, sha512.New},
	{"MD5", "MD5CS", "x-amz-checksum-md5", md5.Size, md5.New},
	{"XXHASH64", "XXH64", "x-amz-checksum-xxhash64", 8, func() hash.Hash { return xxhash.New() }},
	{"XXHASH3", "XXH3", "x-amz-checksum-xxhash3", 8, func() hash.Hash { return xxh3.New() }},
	{"XXHASH128", "XXH128", "x-amz-checksum-xxhash128", 16, func() hash.Hash { return xxh3.New128() }},
}

// Find returns the algorithm of a name, as S3 or users write it; nil if S3 has none of that name.
func Find(name string) *Algorithm {
	for _, a := range algorithms {
		if name != "" && (a.Name == name || a.flag == name) {
			return a
		}
	}
	return nil
}

// Names returns the names of all algorithms, as users write them.
func Names() (names []string) {
	for _, a := range algorithms {
		names = append(names, cmp.Or(a.flag, a.Name))
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
