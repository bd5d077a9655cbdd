package checksum

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"testing"
)

// sumText returns the checksum of contents, as headers state it.
func sumText(a *Algorithm, content []byte) string {
	h := a.New()
	_, _ = h.Write(content)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// TestCombiner: checksums of parts make that of the whole, or a checksum of checksums.
func TestCombiner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range Names() {
		a := Find(name)
		for range 30 {
			content := make([]byte, r.IntN(1<<16))
			for i := range content {
				content[i] = byte(r.Uint32())
			}
			full, composite := NewCombiner(a, true), NewCombiner(a, false)
			var digests []byte
			parts := 0
			for from, size := 0, 1+r.IntN(1<<14); from < len(content) || parts == 0; from += size {
				part := content[from:min(len(content), from+size)]
				text := sumText(a, part)
				for _, c := range []*Combiner{full, composite} {
					if err := c.Add(text, int64(len(part))); err != nil {
						t.Fatal(err)
					}
				}
				digest, _ := base64.StdEncoding.DecodeString(text)
				digests = append(digests, digest...)
				parts++
			}
			if got, want := composite.Sum(), fmt.Sprintf("%s-%d", sumText(a, digests), parts); got != want {
				t.Errorf("%s of %d parts: %s, want %s", name, parts, got, want)
			}
			if got, want := full.Sum(), sumText(a, content); a.Combines() && got != want {
				t.Errorf("%s of %d bytes in %d parts: %s, want %s", name, len(content), parts, got, want)
			}
		}
		for _, text := range []string{"", "AAAA", "!", sumText(a, nil) + "-1"} {
			if err := NewCombiner(a, true).Add(text, 1); err == nil {
				t.Errorf("%s: %q is taken", name, text)
			}
		}
	}
}

// TestCombineLarge: parts of zeros of 5 TiB together, which no test can read, in two ways.
func TestCombineLarge(t *testing.T) {
	for _, name := range []string{"CRC32", "CRC32C", "CRC64NVME"} {
		a := Find(name)
		grow := func(text string, size int64) (string, int64) {
			c := NewCombiner(a, true)
			for range 2 {
				if err := c.Add(text, size); err != nil {
					t.Fatal(err)
				}
			}
			return c.Sum(), 2 * size
		}
		const size = 5 << 20
		small := sumText(a, make([]byte, size))
		doubled, n := small, int64(size)
		for n < 1<<20*size {
			doubled, n = grow(doubled, n)
		}
		one := NewCombiner(a, true)
		for range 1 << 20 {
			if err := one.Add(small, size); err != nil {
				t.Fatal(err)
			}
		}
		if got := one.Sum(); got != doubled {
			t.Errorf("%s: %s, want %s", name, got, doubled)
		}
	}
}
