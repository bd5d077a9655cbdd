package checksum

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"warp/pkg/generator"
)

var _ Rotated = (*generator.Body)(nil)

// TestPublishedSums: the check values of the catalogues ("123456789"), and what RFC 3174 and FIPS 180 have.
func TestPublishedSums(t *testing.T) {
	for name, want := range map[string][2]string{
		"CRC32":     {"123456789", "cbf43926"},
		"CRC32C":    {"123456789", "e3069283"},
		"CRC64NVME": {"123456789", "ae8b14860a799888"},
		"SHA1":      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		"SHA256":    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		"SHA512": {"abc", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
			"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
		"MD5":       {"abc", "900150983cd24fb0d6963f7d28e17f72"},
		"MD5CS":     {"abc", "900150983cd24fb0d6963f7d28e17f72"},
		"XXHASH64":  {"abc", "44bc2cf5ad770999"},
		"XXH64":     {"abc", "44bc2cf5ad770999"},
		"XXHASH3":   {"abc", "78af5f94892f3950"},
		"XXHASH128": {"abc", "06b05ab6733a618578af5f94892f3950"},
	} {
		a := Find(name)
		if a.Length() != base64.StdEncoding.EncodedLen(len(want[1])/2) {
			t.Errorf("%s: the header has %d characters", name, a.Length())
		}
		h := a.New()
		if err := Read(strings.NewReader(want[0]), int64(len(want[0])), make([]byte, 2), h); err != nil {
			t.Error(err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want[1] {
			t.Errorf("%s: %s, want %s", name, got, want[1])
		}
	}
	if Find("") != nil || Find("MD5").Header == MD5.Header {
		t.Error("MD5 has a header of its own besides Content-MD5")
	}
	if err := Read(strings.NewReader("abc"), 4, make([]byte, 2)); err != io.ErrUnexpectedEOF {
		t.Errorf("a short body: %v", err)
	}
}

// TestFast: the CRC of contents is the same whether they were made for it or not.
func TestFast(t *testing.T) {
	buffer := make([]byte, 1000)
	for _, name := range Names() {
		a := Find(name)
		s := NewFast(a)
		if (s != nil) != strings.HasPrefix(name, "CRC") {
			t.Fatalf("%s: fast %v", name, s)
		}
		if s == nil {
			continue
		}
		for seed := range uint64(3) {
			for kind, fast := range map[string]bool{"random": true, "zero": false} {
				d, err := (&generator.Spec{Generator: kind}).NewData(seed, seed)
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range []int64{0, 1, groupBytes - 1, groupBytes, groupBytes + 1, 3*groupBytes + 1001, 1 << 20} {
					body, h := d.Body(seed, size), a.New()
					if size%2 == 1 { // not for all, so that whole objects are computed too
						body.ResetPart(seed, 5<<20, size)
					}
					got, err := s.Sum(body, size, buffer)
					if err != nil || (got != nil) != (fast && size >= groupBytes) {
						t.Fatalf("%s, %s, %d bytes: %x, %v", name, kind, size, got, err)
					}
					if err := Read(body, size, buffer, h); err != nil {
						t.Fatal(err)
					}
					if want := h.Sum(nil); got != nil && !bytes.Equal(got, want) {
						t.Errorf("%s, %d bytes: %x, want %x", name, size, got, want)
					}
				}
			}
		}
		d, err := (&generator.Spec{Generator: "random"}).NewData(1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Sum(struct{ *generator.Body }{d.Body(1, groupBytes)}, groupBytes, buffer); got != nil || err != nil {
			t.Errorf("%s: contents around others: %x, %v", name, got, err)
		}
		if got, err := s.Sum(strings.NewReader(strings.Repeat("x", groupBytes)), groupBytes, buffer); got != nil || err != nil {
			t.Errorf("%s: other contents: %x, %v", name, got, err)
		}
	}
}

func BenchmarkFast(b *testing.B) {
	const size = 10 << 20
	d, err := (&generator.Spec{Generator: "random"}).NewData(1, 1)
	if err != nil {
		b.Fatal(err)
	}
	body, buffer := d.Body(1, size), make([]byte, 64<<10)
	for _, name := range []string{"CRC32", "CRC32C", "CRC64NVME"} {
		s := NewFast(Find(name))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for range b.N {
				if _, err := s.Sum(body, size, buffer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
