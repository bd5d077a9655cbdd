package workload

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/s2"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/generator"
)

// files are the contents of the objects of a data set, of different sizes; one of them is empty.
func files(t *testing.T) (set *dataset.DataSet, content func(index uint64) []byte) {
	t.Helper()
	sizes, err := generator.ParseSizes("choice(0:1,1:1,511:1,512:1,70000:1)", false)
	if err != nil {
		t.Fatal(err)
	}
	set = benchtest.Set(t, 7, 10, 1, generator.Spec{Sizes: sizes})
	body := set.Body()
	return set, func(index uint64) []byte {
		text := make([]byte, set.Size(index))
		body.Reset(index, int64(len(text)))
		if _, err := body.ReadAt(text, 0); len(text) > 0 && err != nil && err != io.EOF {
			t.Fatal(err)
		}
		return text
	}
}

// checkArchive makes sure that an archive holds what it should, wherever it is read.
func checkArchive(t *testing.T, a *Archive, want []byte) {
	t.Helper()
	if a.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, want %d", a.Size(), len(want))
	}
	if err := iotest.TestReader(io.NewSectionReader(a, 0, a.Size()), want); err != nil {
		t.Error(err)
	}
	for _, size := range []int{1, 7, 512, 4096} { // in pieces that begin and end anywhere
		piece := make([]byte, size)
		for off := int64(0); off < a.Size(); off += max(1, int64(size)*37/10) {
			n, err := a.ReadAt(piece, off)
			if end := min(off+int64(size), a.Size()); !bytes.Equal(piece[:n], want[off:end]) || (n < size) != (err == io.EOF) {
				t.Fatalf("%d bytes from %d on: %d bytes, %v; they differ from the library's", size, off, n, err)
			}
		}
	}
}

// name has more than 100 characters for some files, which tar archives hold in headers of their own.
func name(k uint64) string { return strings.Repeat("dir/", int(k)*10) + fmt.Sprint(k) }

// A tar archive is the one that the library would write with the contents, byte for byte; compressed it is the same.
func TestTar(t *testing.T) {
	set, content := files(t)
	a := NewArchive(set)
	for _, n := range []int{0, 1, 12, 3} { // one after the other
		var want bytes.Buffer
		w := tar.NewWriter(&want)
		for k := range uint64(n) {
			text := content(5 + k)
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name(k), Size: int64(len(text)), Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := a.tar(n, func(k int) (string, uint64) { return name(uint64(k)), 5 + uint64(k) }); err != nil {
			t.Fatal(err)
		}
		checkArchive(t, a, want.Bytes())
		compressed, err := a.compress()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(s2.NewReader(compressed)); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%d files: compressed and decompressed they differ (%v)", n, err)
		}
	}
}

// Files of a zip archive hold what they should by the library, which checks their sums.
func TestZip(t *testing.T) {
	set, content := files(t)
	a := NewArchive(set)
	for _, n := range []uint64{1, 12, 3} {
		if err := a.zip(n, func(k uint64) (string, uint64) { return name(k), 5 + k }); err != nil {
			t.Fatal(err)
		}
		all := make([]byte, a.Size())
		if _, err := a.ReadAt(all, 0); err != nil {
			t.Fatal(err)
		}
		checkArchive(t, a, all)
		r, err := zip.NewReader(a, a.Size())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.File) != int(n) {
			t.Fatalf("%d files, want %d", len(r.File), n)
		}
		for k, f := range r.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(in)
			if err != nil || f.Name != name(uint64(k)) || !bytes.Equal(got, content(5+uint64(k))) {
				t.Errorf("file %d: %q with %d bytes, want %q with %d (%v)", k, f.Name, len(got), name(uint64(k)), set.Size(5+uint64(k)), err)
			}
		}
	}
}
