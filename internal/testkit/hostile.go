package testkit

import (
	"strings"
	"testing"
	"unicode"
)

// HostileText would set the title of a terminal, reverse the direction of text, and pass for another line of output.
const HostileText = "go\x1b]0;mine\x07 away\nwarp: all is well\u202e\u009b2J"

// CheckPlain fails the test if printing a text would do more than show it, or if it is longer than limit bytes.
func CheckPlain(t testing.TB, text string, limit int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "warp:") {
			t.Errorf("it has a line of its own: %q", text)
		}
	}
	steers := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), steers) {
		t.Errorf("it steers the terminal: %q", text)
	}
	if len(text) > limit {
		t.Errorf("it is %d bytes long", len(text))
	}
}
