package generator

import (
	"bytes"
	"crypto/subtle"
	"encoding/hex"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"warp/internal/testkit"
)

func newData(t testing.TB, kind string, seed uint64) *Data {
	t.Helper()
	d, err := (&Spec{Generator: kind}).NewData(seed, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func contents(d *Data, i uint64, size int) []byte {
	p := make([]byte, size)
	d.fill(p, i, 0)
	return p
}

func TestNewDataRefusesUnknownKinds(t *testing.T) {
	_, err := (&Spec{Generator: "csv"}).NewData(1, 1)
	if err == nil || !strings.Contains(err.Error(), `"csv"`) || !strings.Contains(err.Error(), "want random, zero, compressible=30%") {
		t.Errorf("error is %v", err)
	}
	for _, kind := range []string{"random", "zero", ""} {
		newData(t, kind, 1)
	}
}

func TestZeroData(t *testing.T) {
	p := bytes.Repeat([]byte{1}, 1000)
	newData(t, "zero", 1).fill(p, 3, 5)
	if !bytes.Equal(p, make([]byte, 1000)) {
		t.Error("zero data is not zero")
	}
}

func TestFillIsAFunctionOfSeedIndexAndOffset(t *testing.T) {
	d := newData(t, "random", 1)
	whole := contents(d, 5, 100_000)
	if !bytes.Equal(whole, contents(newData(t, "", 1), 5, 100_000)) {
		t.Error("the same object has two contents")
	}
	if bytes.Equal(whole[:64], contents(newData(t, "random", 2), 5, 64)) || bytes.Equal(whole[:64], contents(d, 6, 64)) {
		t.Error("contents do not depend on seed and index")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		off := r.IntN(len(whole))
		p := make([]byte, r.IntN(min(200, len(whole)-off)+1))
		d.fill(p, 5, int64(off))
		if !bytes.Equal(p, whole[off:off+len(p)]) {
			t.Fatalf("%d bytes at %d differ from the whole", len(p), off)
		}
	}
	far := make([]byte, 16)
	d.fill(far, 5, math.MaxInt64-15)
	near := make([]byte, 8)
	d.fill(near, 5, math.MaxInt64-7)
	if !bytes.Equal(far[8:], near) {
		t.Error("contents at the far end differ by where one begins to read")
	}
}

// TestDataNeverChanges holds bytes that were once given out: a seed must mean the same data set in every version.
func TestDataNeverChanges(t *testing.T) {
	d := newData(t, "random", 1)
	for off, want := range map[int64]string{
		0:                    "c5ebfc3df926874d1d223c6b",
		5 << 12:              "ac4e8c564a5abeef3c0bd9ba",
		1<<40 + 6<<12 + 4090: "e035e50aae36fab30c0d555b",
	} {
		p := make([]byte, 12)
		d.fill(p, 2, off)
		if got := hex.EncodeToString(p); got != want {
			t.Errorf("contents at %d are %s, want %s", off, got, want)
		}
	}
}

func compressed(t *testing.T, p []byte) int {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(64<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return len(w.EncodeAll(p, nil))
}

func TestDataDoesNotCompress(t *testing.T) {
	testkit.SkipSerial(t)
	d := newData(t, "random", 1)
	p := contents(d, 1, 1<<20)
	if n := compressed(t, p); float64(n) < 0.999*float64(len(p)) {
		t.Errorf("1 MiB shrinks to %d bytes", n)
	}
	if n := compressed(t, append(p, p[1000:]...)); n > len(p)*6/5 {
		t.Errorf("the test cannot see a repetition: twice the same gives %d bytes", n)
	}
	var objects []byte
	for i := range uint64(256) {
		objects = append(objects, contents(d, i, 16<<10+int(i))...)
	}
	if n := compressed(t, objects); float64(n) < 0.999*float64(len(objects)) {
		t.Errorf("%d bytes of many objects shrink to %d", len(objects), n)
	}
}

// TestNoTwoBlocksAreEqual plays a deduplicating store with blocks of 512 bytes.
func TestNoTwoBlocksAreEqual(t *testing.T) {
	d := newData(t, "random", 1)
	seen := make(map[[512]byte]struct{}, 128_000)
	p := make([]byte, 64<<10)
	for i := range uint64(1000) {
		d.fill(p, i, 0)
		for off := 0; off < len(p); off += 512 {
			block := [512]byte(p[off:])
			if _, double := seen[block]; double {
				t.Fatalf("block at %d of object %d was there before", off, i)
			}
			seen[block] = struct{}{}
		}
	}
}

// TestNothingRepeatsAtAnyAlignment plays a store that cuts blocks by their contents: no 8 bytes of any alignment occur
// twice in 8 MiB of objects. By chance alone that would happen once in 500,000 seeds.
func TestNothingRepeatsAtAnyAlignment(t *testing.T) {
	d := newData(t, "random", 1)
	seen := make(map[uint64]struct{}, 1<<20)
	p := make([]byte, 16<<10)
	for i := range uint64(64) {
		d.fill(p, i, 0)
		var window uint64
		for at, b := range p {
			window = window<<8 | uint64(b)
			if at < 7 {
				continue
			}
			if _, double := seen[window]; double {
				t.Fatalf("8 bytes that end at %d of object %d were there before", at, i)
			}
			seen[window] = struct{}{}
		}
	}
}

// TestParityIsFresh plays a store that keeps the XOR of blocks that lie apart: parity does not compress either, be it of
// blocks of an object or of several objects.
func TestParityIsFresh(t *testing.T) {
	testkit.SkipSerial(t)
	d := newData(t, "random", 1)
	p, q := contents(d, 1, 8<<20), contents(d, 2, 8<<20)
	for _, apart := range []int{4 << 10, 8 << 10, 32 << 10, 64 << 10} {
		var parity []byte
		for at := 0; at+2*apart <= len(p); at += 2 * apart {
			sum := make([]byte, apart)
			subtle.XORBytes(sum, p[at:at+apart], p[at+apart:])
			parity = append(parity, sum...)
		}
		if n := compressed(t, parity); float64(n) < 0.998*float64(len(parity)) {
			t.Errorf("%d bytes of parity of blocks %d apart shrink to %d", len(parity), apart, n)
		}
	}
	subtle.XORBytes(p, p, q)
	if n := compressed(t, p); float64(n) < 0.998*float64(len(p)) {
		t.Errorf("%d bytes of parity of two objects shrink to %d", len(p), n)
	}
}

// TestBitsAreEven looks for bits that lean, within words, between neighbouring words and between neighbouring objects.
func TestBitsAreEven(t *testing.T) {
	const words = 1 << 17
	d := newData(t, "random", 1)
	p, q := contents(d, 1, words*8), contents(d, 2, words*8)
	var ones, steps, objects [64]float64
	var last uint64
	for at := 0; at < len(p); at += 8 {
		x, y := le(p[at:]), le(q[at:])
		count(&ones, x)
		count(&steps, x^last)
		count(&objects, x^y)
		last = x
	}
	for name, counts := range map[string][64]float64{"words": ones, "neighbours": steps, "objects": objects} {
		for bit, n := range counts {
			if math.Abs(n-words/2) > 5*math.Sqrt(words)/2 {
				t.Errorf("%s: bit %d is set %.0f times of %d", name, bit, n, words)
			}
		}
	}
}

func le(p []byte) uint64 {
	var x uint64
	for i := range 8 {
		x |= uint64(p[i]) << (8 * i)
	}
	return x
}

func count(counts *[64]float64, x uint64) {
	for ; x != 0; x &= x - 1 {
		counts[bits.TrailingZeros64(x)]++
	}
}

func BenchmarkFill(b *testing.B) {
	d := newData(b, "random", 1)
	for name, size := range map[string]int{"4KiB": 4 << 10, "64KiB": 64 << 10, "1MiB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			p := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				d.fill(p, i, 0)
			}
		})
	}
}
