package checksum

import (
	"bytes"
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
	} {
		h := Find(name).New()
		if err := Read(strings.NewReader(want[0]), int64(len(want[0])), make([]byte, 2), h); err != nil {
			t.Error(err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want[1] {
			t.Errorf("%s: %s, want %s", name, got, want[1])
		}
	}
	if Find("MD5") != nil || Find("") != nil {
		t.Error("MD5 is no checksum of its own header")
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
				d, err := generator.NewData(kind, seed)
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
		d, err := generator.NewData("random", 1)
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
	d, err := generator.NewData("random", 1)
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
