package op

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClass(t *testing.T) {
	long := strings.Repeat("x", 100)
	tests := []struct{ err, want string }{
		{"", ""},
		{"503 SlowDown: please reduce your request rate", "503 SlowDown"},
		{"connection refused: dial tcp 127.0.0.1:9: connect: connection refused", "connection refused"},
		{"The specified key does not exist.", "The specified key does not exist."},
		{"no space:after the colon", "no space:after the colon"},
		{": nothing before", ": nothing before"},
		{long, long[:61] + "..."},
		{long + ": message", long[:61] + "..."},
		{long[:MaxClass] + ": message", long[:MaxClass]},
		{strings.Repeat("x", 60) + "éé and more", strings.Repeat("x", 60) + "..."},
	}
	for _, tt := range tests {
		got := Class(tt.err)
		if got != tt.want {
			t.Errorf("Class(%q) = %q, want %q", tt.err, got, tt.want)
		}
		if len(got) > MaxClass || !utf8.ValidString(got) {
			t.Errorf("Class(%q) = %q: %d bytes, or not UTF-8", tt.err, got, len(got))
		}
	}
}
