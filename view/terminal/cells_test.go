package terminal

import "testing"

func TestCells(t *testing.T) {
	for text, want := range map[string]int{
		"":         0,
		"s3-1":     4,
		"京都":       4,
		"ﾊﾝｶｸ":     4,
		"e\u0301":  1,
		"a\tb\x07": 2,
		"naïve …":  7,
	} {
		if got := Cells(text); got != want {
			t.Errorf("%q takes %d cells, want %d", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{
		{"bucket", 6, "bucket"},
		{"bucket", 5, "buc.."},
		{"京都大阪", 8, "京都大阪"},
		{"京都大阪", 7, "京都.."},     // half a character is none
		{"one two", 6, "one.."}, // no blank before the mark
		{"bucket", 2, ".."},
		{"bucket", 1, "."},
		{"bucket", 0, ""},
		{"bucket", -1, ""},
	} {
		if got := Shorten(c.text, c.cells); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}
