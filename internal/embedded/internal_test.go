package embedded

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	var l tail
	if got := l.String(); got != "" {
		t.Errorf("an empty log says %q", got)
	}
	for range 3000 {
		_, _ = l.Write([]byte("0123456789\n"))
	}
	_, _ = l.Write([]byte("last words\n"))
	got := l.String()
	if !strings.HasSuffix(got, "0123456789\nlast words") || len(got) > tailSize+100 {
		t.Errorf("%d bytes are kept, ending in %q", len(got), got[len(got)-20:])
	}
	_, _ = l.Write([]byte(strings.Repeat("x", 3*tailSize)))
	if got := l.String(); strings.Count(got, "x") != tailSize {
		t.Errorf("of one long line %d bytes are kept", strings.Count(got, "x"))
	}
}

func TestReachable(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:9000":   "127.0.0.1:9000",
		"localhost:9000":   "localhost:9000",
		"192.168.1.2:9000": "192.168.1.2:9000",
		":9000":            "127.0.0.1:9000",
		"0.0.0.0:9000":     "127.0.0.1:9000",
		"[::]:9000":        "[::1]:9000",
		"[::1]:9000":       "[::1]:9000",
	} {
		if got := reachable(in); got != want {
			t.Errorf("%s is reached at %s, not %s", in, got, want)
		}
	}
}
