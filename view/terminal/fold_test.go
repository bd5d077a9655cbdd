package terminal

import (
	"strings"
	"testing"
)

func TestMessagesAreFoldedAtBlanks(t *testing.T) {
	sentence := strings.Repeat("nine char ", 10) + "end of it." // 110 columns
	for _, c := range []struct {
		width int
		want  string
	}{
		{200, "Two\n" + sentence + "\n"},
		{110, "Two\n" + sentence + "\n"},
		{109, "Two\n" + strings.TrimSuffix(sentence, " it.") + "\nit.\n"},
		{101, "Two\n" + strings.Repeat("nine char ", 9) + "nine char\nend of it.\n"},
		{3, "Two\n" + strings.ReplaceAll(sentence, " ", "\n") + "\n"},
	} {
		if got := Fold(message("Two\n"+sentence), c.width); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
	if got := Fold("\u4e16\u754c \u4e16\u754c", 8); got != "\u4e16\u754c\n\u4e16\u754c" {
		t.Errorf("wide characters: %q", got)
	}
	s := newScreen(t, 110)
	New(s, Options{Terminal: true, Width: func() int { return 110 }}).Message(sentence)
	if got := s.String(); strings.Contains(got, "\n.") || !strings.Contains(got, "\nit.") {
		t.Errorf("on a terminal: %q", got)
	}
}
