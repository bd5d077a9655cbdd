package generator

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"warp/internal/testkit"
)

func TestBodyReads(t *testing.T) {
	testkit.SkipSerial(t)
	for _, kind := range []string{"random", "zero"} {
		d := newData(t, kind, 1)
		for _, size := range []int{0, 1, 7, 8, 33, 1000, 70_000} {
			if err := iotest.TestReader(d.Body(3, int64(size)), contents(d, 3, size)); err != nil {
				t.Errorf("%s, %d bytes: %v", kind, size, err)
			}
		}
	}
}

func TestReadAtFillAndReadAgree(t *testing.T) {
	const size = 50_000
	d := newData(t, "random", 1)
	body := d.Body(9, size)
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		off, n := r.Int64N(size), r.IntN(3000)+1
		n = min(n, int(size-off))
		want, at, read := make([]byte, n), make([]byte, n), make([]byte, n)
		d.fill(want, 9, off)
		if _, err := body.Seek(off, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := body.ReadAt(at, r.Int64N(10)); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if _, err := body.ReadAt(at, off); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(body, read); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(at, want) || !bytes.Equal(read, want) {
			t.Fatalf("%d bytes at %d differ", n, off)
		}
	}
}

func TestBodySeek(t *testing.T) {
	b := newData(t, "random", 1).Body(1, 100)
	for _, c := range []struct {
		offset int64
		whence int
		want   int64
	}{
		{10, io.SeekStart, 10}, {5, io.SeekCurrent, 15}, {-15, io.SeekCurrent, 0}, {-1, io.SeekEnd, 99}, {50, io.SeekEnd, 150},
	} {
		if got, err := b.Seek(c.offset, c.whence); err != nil || got != c.want {
			t.Errorf("Seek(%d, %d) = %d, %v; want %d", c.offset, c.whence, got, err, c.want)
		}
	}
	if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("behind the end, Read gives %d, %v", n, err)
	}
	if n, err := b.WriteTo(io.Discard); n != 0 || err != nil {
		t.Errorf("behind the end, WriteTo gives %d, %v", n, err)
	}
	for _, c := range []struct {
		offset int64
		whence int
	}{{-1, io.SeekStart}, {-101, io.SeekEnd}, {0, 3}} {
		if _, err := b.Seek(c.offset, c.whence); err == nil {
			t.Errorf("Seek(%d, %d) succeeded", c.offset, c.whence)
		}
	}
	if pos, err := b.Seek(0, io.SeekCurrent); pos != 150 || err != nil {
		t.Errorf("a failed Seek moved to %d, %v", pos, err)
	}
}

func TestReadAtEdges(t *testing.T) {
	b := newData(t, "random", 1).Body(1, 100)
	for _, c := range []struct {
		off  int64
		want int
		end  bool
	}{{0, 10, false}, {90, 10, false}, {95, 5, true}, {100, 0, true}, {1000, 0, true}} {
		n, err := b.ReadAt(make([]byte, 10), c.off)
		if n != c.want || (err == io.EOF) != c.end {
			t.Errorf("ReadAt(%d) = %d, %v", c.off, n, err)
		}
	}
	if _, err := b.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset is taken")
	}
}

func TestWriteTo(t *testing.T) {
	d := newData(t, "random", 1)
	want := contents(d, 4, 200_001)
	b := d.Body(4, 200_001)
	var got bytes.Buffer
	if _, err := b.Seek(5, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if n, err := b.WriteTo(&got); n != 199_996 || err != nil || !bytes.Equal(got.Bytes(), want[5:]) {
		t.Errorf("WriteTo gives %d, %v", n, err)
	}
	b.Reset(4, 200_001)
	failure := errors.New("full")
	n, err := b.WriteTo(limitedWriter{failure})
	if pos, _ := b.Seek(0, io.SeekCurrent); err != failure || n != 3 || pos != 3 {
		t.Errorf("a failing writer gives %d at %d, %v", n, pos, err)
	}
	if _, err := b.WriteTo(limitedWriter{nil}); err != io.ErrShortWrite {
		t.Errorf("a short write gives %v", err)
	}
}

// limitedWriter takes three bytes at a time.
type limitedWriter struct{ err error }

func (w limitedWriter) Write([]byte) (int, error) { return 3, w.err }

func TestBodyIsReusedWithoutMemory(t *testing.T) {
	d := newData(t, "random", 1)
	b, c, p := d.Body(0, 1), d.Check(0, 0), make([]byte, 32<<10)
	i := uint64(0)
	n := testing.AllocsPerRun(50, func() {
		i++
		b.Reset(i, 100_000)
		c.Reset(i, 10)
		if _, err := b.Seek(10, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		for {
			n, err := b.Read(p)
			if err != nil {
				break
			}
			if _, err := c.Write(p[:n]); err != nil {
				t.Fatal(err)
			}
		}
		b.Reset(i, 100_000)
		if _, err := b.WriteTo(io.Discard); err != nil {
			t.Fatal(err)
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
	})
	if n != 0 {
		t.Errorf("%.1f allocations for each object", n)
	}
	if d.Body(1, -5).Size() != 0 {
		t.Error("a negative size must be taken as 0")
	}
}

func TestChecker(t *testing.T) {
	d := newData(t, "random", 1)
	for _, c := range []struct {
		off, size int
		wrong     int // -1: none
	}{{0, 100_000, -1}, {12_345, 50_000, -1}, {0, 1, 0}, {0, 100_000, 0}, {0, 100_000, 99_999}, {777, 50_000, 8192 + 777}, {3, 20, 10}} {
		p := contents(d, 6, c.off+c.size)
		if c.wrong >= 0 {
			p[c.wrong]++
			p[len(p)-1] ^= 0x80
		}
		if c.wrong == len(p)-1 {
			p[c.wrong] = ^p[c.wrong]
		}
		check := d.Check(6, int64(c.off))
		for q := p[c.off:]; len(q) > 0; {
			n, err := check.Write(q[:min(len(q), 3001)])
			if err != nil || n != min(len(q), 3001) {
				t.Fatalf("Write gives %d, %v", n, err)
			}
			q = q[n:]
		}
		off, found := check.Wrong()
		if found != (c.wrong >= 0) || (found && off != int64(c.wrong)) || (check.Err() != nil) != found {
			t.Errorf("%+v: found %t at %d, %v", c, found, off, check.Err())
		}
		check.Reset(6, 0)
		if _, found := check.Wrong(); found || check.Err() != nil {
			t.Error("Reset keeps the old fault")
		}
	}
	other := d.Check(7, 0)
	if _, err := io.Copy(other, d.Body(6, 10)); err != nil || other.Err() == nil {
		t.Errorf("the contents of another object are taken: %v", err)
	}
}

func BenchmarkBodyRead(b *testing.B) {
	d := newData(b, "random", 1)
	body, p := d.Body(0, 10<<20), make([]byte, 32<<10)
	b.SetBytes(10 << 20)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		body.Reset(i, 10<<20)
		for {
			if _, err := body.Read(p); err != nil {
				break
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	d := newData(b, "random", 1)
	p, c := contents(d, 1, 64<<10), d.Check(1, 0)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(1, 0)
		if _, err := c.Write(p); err != nil || c.Err() != nil {
			b.Fatal(err, c.Err())
		}
	}
}
