package recording

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"warp/pkg/op"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at is a time of an ordinary day, ns nanoseconds later.
func at(ns int64) time.Time {
	return time.Date(2026, 11, 21, 3, 56, 21, 0, time.UTC).Add(time.Duration(ns))
}

// record writes ops as a recording, a frame every perFrame operations (0: as the Writer likes).
func record(t testing.TB, h Header, perFrame int, ops ...op.Op) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		if err := w.Write(ops[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if perFrame > 0 && i%perFrame == perFrame-1 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads all operations; the Reader is closed.
func readAll(t testing.TB, data []byte) ([]op.Op, *Reader) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), "run.csv.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var ops []op.Op
	for r.Scan() {
		ops = append(ops, *r.Op())
	}
	return ops, r
}

// compress is text as one zstd frame.
func compress(t testing.TB, text string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll([]byte(text), nil)
}

// decompress is the text in data, which must be complete.
func decompress(t testing.TB, data []byte) string {
	t.Helper()
	text, err := decompressed(data)
	if err != nil {
		t.Fatalf("not a complete zstd file: %v", err)
	}
	return text
}

// decompressed is the text in data, and an error if data is not complete.
func decompressed(data []byte) (string, error) {
	dec, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	defer dec.Close()
	text, err := io.ReadAll(dec)
	return string(text), err
}

// sameOps compares what was read with what was written.
func sameOps(t testing.TB, got, want []op.Op) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d operations, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("operation %d:\n got %#v\nwant %#v", i, got[i], want[i])
		}
	}
}

// noWarnings fails if the reader has something to say.
func noWarnings(t testing.TB, r *Reader) {
	t.Helper()
	if r.Err() != nil || len(r.Warnings()) > 0 {
		t.Errorf("error %v, warnings:\n%s", r.Err(), strings.Join(r.Warnings(), "\n"))
	}
}
