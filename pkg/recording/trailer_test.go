package recording

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// endingOf is Ending of a file with data in it.
func endingOf(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.csv.zst")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewReader(f, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ending := string(r.Trailer())
	for r.Scan() { // looking at the end does not disturb the reading
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	return ending
}

func TestEnding(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, sampleHeader)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(randomOps(3, 20_000)), w.SetEnd(map[string]int{"n": 7}), w.Close()); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	tests := []struct {
		name, want string
		data       []byte
	}{
		{"whole", `{"n":7}`, whole},
		{"cut", "", whole[:len(whole)-1]},
		{"something behind it", "", append(bytes.Clone(whole), "x"...)},
		{"two recordings", `{}`, append(bytes.Clone(whole), record(t, sampleHeader, 0, sampleOps()...)...)},
		{"not compressed", "", []byte(decompress(t, whole))},
		{"MinIO warp", "", compress(t, tabHeader+goodRow(1)+"# warp get\n")},
		{"comment that is no JSON", "", compress(t, tabHeader+goodRow(1)+"# end: {\n")},
		{"no line break", "", compress(t, tabHeader+goodRow(1)+"# end: {}")},
	}
	for _, tt := range tests {
		if got := endingOf(t, tt.data); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	r, err := NewReader(bytes.NewReader(whole), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Trailer() != nil {
		t.Error("there is an ending of a source that is no file")
	}
}
