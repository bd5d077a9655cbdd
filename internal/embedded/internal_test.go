//go:build !noembed

package embedded

import (
	"slices"
	"strings"
	"testing"
)

func TestLastWords(t *testing.T) {
	for name, c := range map[string]struct {
		log  []string // as it is written, piece by piece
		want string
	}{
		"nothing":       {[]string{"", "\n \n"}, ""},
		"last line":     {[]string{"one\ntw", "o\n\n"}, `; its last words: "two"`},
		"half a line":   {[]string{"one\ntwo, unfini"}, `; its last words: "two, unfini"`},
		"panic":         {[]string{"up\npanic: ", "boom", "\n\ngoroutine 1 [running]:\nmain.main()\n"}, `; its last words: "panic: boom"`},
		"out of memory": {[]string{"fatal error: out of memory\n", "panic: later\n"}, `; its last words: "fatal error: out of memory"`},
		"signal":        {[]string{"SIGQUIT: quit\nPC=0x1\n"}, `; its last words: "SIGQUIT: quit"`},
		"unprintable":   {[]string{"\x1b[2J\n"}, `; its last words: "\x1b[2J"`},
		"long":          {[]string{strings.Repeat("x", maxWords), strings.Repeat("y", maxWords)}, `; its last words: "` + strings.Repeat("x", maxWords) + `"`},
	} {
		var w crashLine
		for _, piece := range c.log {
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Errorf("%s: wrote %d, %v", name, n, err)
			}
		}
		if got := w.String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestEnvironment: none of this process's variables reach the child but those that it needs.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"WARP_SECRET_KEY", "WARP_ACCESS_KEY", "WARP_TOKEN", "AWS_SECRET_ACCESS_KEY", "INFLUX_TOKEN"} {
		t.Setenv(name, "hush")
	}
	t.Setenv("GOMEMLIMIT", "4GiB")
	env := environment()
	if !slices.Contains(env, "GOMEMLIMIT=4GiB") {
		t.Errorf("the limit of memory is missing: %q", env)
	}
	if all := strings.Join(env, " "); strings.Contains(all, "hush") {
		t.Errorf("a secret is passed on: %s", all)
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
