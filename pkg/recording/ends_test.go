package recording

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Both ends have whole rows: the first ones and the last ones of the file.
func TestEnds(t *testing.T) {
	data := record(t, sampleHeader, 0, randomOps(3, 20_000)...)
	all := rowsOf(t, opened(t, data))
	for _, length := range []int{100_000, 1_000_000} {
		e, err := opened(t, data).Ends(length)
		if err != nil {
			t.Fatal(err)
		}
		first, err1 := e.First()
		last, err2 := e.Last()
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		head, tail := rowsOf(t, first), rowsOf(t, last)
		if least := length / 1000; len(head) < least || !slices.Equal(head, all[:len(head)]) {
			t.Errorf("the first %d bytes have %d operations, or other ones", length, len(head))
		} else if len(tail) < least || !slices.Equal(tail, all[len(all)-len(tail):]) {
			t.Errorf("the last %d bytes have %d operations, or other ones", length, len(tail))
		}
		e.Close()
	}
}

// A file that has no two ends of some length is read as a whole.
func TestNoEnds(t *testing.T) {
	data := record(t, sampleHeader, 0, randomOps(3, 2_000)...)
	text := len(decompress(t, data))
	for length, want := range map[int]string{text - 10: "too short", 2 * text: "unexpected EOF"} {
		e, err := opened(t, data).Ends(length)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.First()
		if err == nil {
			_, err = e.Last()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ends of %d bytes of %d: error %v, want %q", length, text, err, want)
		}
		e.Close()
	}
	if _, err := opened(t, []byte(decompress(t, data))).Ends(100); err == nil {
		t.Error("a file that is not compressed has ends")
	}
}

func TestRing(t *testing.T) {
	for _, pieces := range [][]string{{"abc", "defgh", "ij"}, {"abcdefghij"}, {"abcde", "fghij"}, {"a", "", "bcdefghi", "j"}} {
		r := ring{buf: make([]byte, 5)}
		for _, p := range pieces {
			if n, err := r.Write([]byte(p)); n != len(p) || err != nil {
				t.Errorf("%d bytes of %q were written, error %v", n, p, err)
			}
		}
		if got := string(r.bytes()); got != "fghij" {
			t.Errorf("%q keeps %q", pieces, got)
		}
	}
}
