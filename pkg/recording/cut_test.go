package recording

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"warp/pkg/op"
)

// Wherever a recording is cut, it never panics, all rows of frames that are whole are there, and nothing else is.
func TestReaderOfCutFiles(t *testing.T) {
	ops := append(sampleOps(), randomOps(5, 12)...)
	whole := record(t, sampleHeader, 5, ops...)
	var ends []int // of frames
	for n := range len(whole) + 1 {
		if _, err := decompressed(whole[:n]); err == nil && n > 0 {
			ends = append(ends, n)
		}
	}
	if len(ends) != 5 {
		t.Fatalf("%d frames: %v", len(ends), ends)
	}
	for n := range len(whole) {
		frames := 0
		for frames < len(ends) && ends[frames] <= n {
			frames++
		}
		r, err := NewReader(bytes.NewReader(whole[:n]), "cut")
		if frames == 0 {
			if err == nil {
				r.Close()
				t.Fatalf("cut at %d, before the header: no error", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d, behind %d frames: %v", n, frames, err)
		}
		var got []op.Op
		for r.Scan() {
			got = append(got, *r.Op())
		}
		r.Close()
		if r.Err() != nil || len(r.Warnings()) == 0 {
			t.Errorf("cut at %d: error %v, warnings %q", n, r.Err(), r.Warnings())
		}
		if len(got) < min(5*(frames-1), len(ops)) || len(got) > len(ops) {
			t.Fatalf("cut at %d, behind %d frames: %d rows", n, frames, len(got))
		}
		sameOps(t, got, ops[:len(got)])
	}
}

// The same for text that is not compressed, and for the format of MinIO warp, where nothing marks the end.
func TestReaderOfCutText(t *testing.T) {
	quoted := tabRow("1", "key", "\"two\nlines\"", "2026-11-21T03:56:21Z", "2026-11-21T03:56:22Z")
	ours := &frameCounter{t: t}
	w, err := NewWriter(ours, Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range sampleOps() {
		if err := errors.Join(w.Write([]op.Op{o}), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		parts  []string // the header, and a row each
		marked bool     // so that a row without a line break, or a file without an end, is known to be cut
	}{
		{"MinIO warp", []string{tabHeader, goodRow(0), quoted, goodRow(2)}, false},
		{"ours", ours.texts, true},
	}
	for _, tt := range tests {
		text := strings.Join(tt.parts, "")
		want, _ := readAll(t, []byte(text))
		for n := len(tt.parts[0]); n <= len(text); n++ {
			whole, rest := 0, n-len(tt.parts[0])
			for _, row := range tt.parts[1:] {
				if rest >= len(row) || !tt.marked && rest == len(row)-1 {
					whole++
				}
				if rest < len(row) {
					break
				}
				rest -= len(row)
			}
			got, r := readAll(t, []byte(text[:n]))
			sameOps(t, got, want[:whole])
			inRow := rest > 0 && (tt.marked || text[n:] != "" && text[n] != '\n' || insideQuotes(text[:n]))
			if warned := len(r.Warnings()) > 0; warned != (inRow || tt.marked) {
				t.Errorf("%s cut at %d: warnings %q", tt.name, n, r.Warnings())
			}
		}
	}
}

// insideQuotes reports whether text ends inside of quotes.
func insideQuotes(text string) bool { return strings.Count(text, `"`)%2 == 1 }
