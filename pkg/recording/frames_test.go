package recording

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warp/pkg/op"
)

// opened is a Reader of a file with data in it.
func opened(t *testing.T, data []byte) *Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.csv.zst")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(f, path)
	if err != nil {
		t.Fatal(errors.Join(err, f.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// rowsOf is the operations that are left to be read.
func rowsOf(t *testing.T, r *Reader) (ops []op.Op) {
	t.Helper()
	for r.Scan() {
		ops = append(ops, *r.Op())
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return ops
}

// Sections have together what the file has, whatever the frames are.
func TestSections(t *testing.T) {
	framed := func(frames int) []byte {
		var b bytes.Buffer
		w, err := NewWriter(&b, sampleHeader)
		if err != nil {
			t.Fatal(err)
		}
		for i := range frames {
			if err := errors.Join(w.Write(randomOps(uint64(i), 100)), w.Flush()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	minio := compress(t, tabHeader+goodRow(1)+goodRow(2))
	skippable := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}
	for _, tt := range []struct {
		name string
		data []byte
		want int // frames
	}{
		{"one frame", minio, 1},
		{"frames", framed(20), 22},
		{"long frames", record(t, sampleHeader, 0, randomOps(3, 20_000)...), 7},
		{"frame to be skipped", slices.Concat(minio, skippable), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := opened(t, tt.data)
			starts := r.Frames()
			if len(starts) != tt.want+1 || starts[0] != 0 || starts[len(starts)-1] != int64(len(tt.data)) {
				t.Fatalf("frames begin at %v of %d bytes, want %d frames", starts, len(tt.data), tt.want)
			}
			var got []op.Op
			for i, from := range starts[:len(starts)-1] {
				s, err := r.Section(from, starts[i+1])
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rowsOf(t, s)...)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if want := rowsOf(t, r); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("sections have %d operations, or other ones; the file has %d", len(got), len(want))
			}
		})
	}
}

// Frames that are not complete have no sections.
func TestNoFrames(t *testing.T) {
	whole := record(t, sampleHeader, 0, randomOps(3, 2_000)...)
	for name, data := range map[string][]byte{
		"cut":                 whole[:len(whole)-1],
		"cut in a header":     whole[:bytes.LastIndex(whole, frameMagic)+5],
		"something behind it": append(bytes.Clone(whole), "x"...),
		"not compressed":      []byte(decompress(t, whole)),
	} {
		if starts := opened(t, data).Frames(); starts != nil {
			t.Errorf("%s: frames begin at %v", name, starts)
		}
	}
	r, err := NewReader(bytes.NewReader(whole), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Section(0, 1); r.Frames() != nil || err == nil {
		t.Errorf("a source that is no file has frames %v, and a section, error %v", r.Frames(), err)
	}
}
