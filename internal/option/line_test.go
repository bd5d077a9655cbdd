package option_test

import (
	"strings"
	"testing"

	"warp/internal/option"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]struct {
		line    string
		trimmed bool
	}{
		"": {}, "key": {line: "key"}, "a b": {line: "a b"},
		"key\n": {"key", true}, " key\r\n\t": {"key", true}, "\ufeffkey": {"key", true}, "\u00a0k\u00e9y": {"k\u00e9y", true},
	} {
		line, trimmed, err := option.Line(text)
		if line != want.line || trimmed != want.trimmed || err != nil {
			t.Errorf("%q: %q, %v, %v (want %+v)", text, line, trimmed, err, want)
		}
	}
	for _, text := range []string{"\n", " \ufeff", "SECRET\nX-Injected: yes", "SECRET\r2", "SECRET\x00", "SECRET\x7f2", "SECRET\t2", "SECRET\u00852"} {
		if _, _, err := option.Line(text); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v (want an error that does not repeat it)", text, err)
		}
	}
}
