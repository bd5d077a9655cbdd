package flags

import (
	"os"
	"strings"
	"testing"
	"time"

	"warp/cli/internal/process"
)

// TestFormOfProgress checks who gets the whole screen.
func TestFormOfProgress(t *testing.T) {
	terminal, err := os.Open(os.DevNull) // is in no process's background
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		name   string
		vars   string
		tty    bool
		keys   bool
		quiet  bool
		flag   string
		length time.Duration
		want   string
	}{
		{"long run", "TERM=xterm", true, true, false, "", 2 * time.Minute, Full},
		{"short run", "TERM=xterm", true, true, false, "", time.Minute, Line},
		{"of unknown length", "TERM=xterm", true, true, false, "", 0, Line},
		{"no terminal", "TERM=xterm", false, false, false, "", time.Hour, Plain},
		{"input is no terminal", "TERM=xterm", true, false, false, "", time.Hour, Line},
		{"quiet", "TERM=xterm", true, true, true, "", time.Hour, Line},
		{"dumb", "TERM=dumb", true, true, false, "", time.Hour, Plain},
		{"nobody knows which", "", true, true, false, "", time.Hour, Line},
		{"CI", "TERM=xterm CI=true", true, true, false, "", time.Hour, Plain},
		{"no colours", "TERM=xterm NO_COLOR=1", true, true, false, "", time.Hour, Full},
		{"wanted", "TERM=dumb CI=true", true, true, false, Full, 0, Full},
		{"not wanted", "TERM=xterm", true, true, false, Line, time.Hour, Line},
	} {
		e := process.Env{TTY: c.tty, Getenv: func(name string) string {
			for v := range strings.FieldsSeq(c.vars) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}}
		if c.keys {
			e.Keys = terminal
		}
		o := Output{UI: c.flag, Quiet: c.quiet}
		if got := o.Form(&e, c.length); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
