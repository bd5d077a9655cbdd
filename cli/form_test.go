package cli

import (
	"os"
	"strings"
	"testing"
	"time"
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
		{"long run", "TERM=xterm", true, true, false, "", 2 * time.Minute, uiFull},
		{"short run", "TERM=xterm", true, true, false, "", time.Minute, uiLine},
		{"of unknown length", "TERM=xterm", true, true, false, "", 0, uiLine},
		{"no terminal", "TERM=xterm", false, false, false, "", time.Hour, uiPlain},
		{"input is no terminal", "TERM=xterm", true, false, false, "", time.Hour, uiLine},
		{"quiet", "TERM=xterm", true, true, true, "", time.Hour, uiLine},
		{"dumb", "TERM=dumb", true, true, false, "", time.Hour, uiPlain},
		{"nobody knows which", "", true, true, false, "", time.Hour, uiLine},
		{"CI", "TERM=xterm CI=true", true, true, false, "", time.Hour, uiPlain},
		{"no colours", "TERM=xterm NO_COLOR=1", true, true, false, "", time.Hour, uiFull},
		{"wanted", "TERM=dumb CI=true", true, true, false, uiFull, 0, uiFull},
		{"not wanted", "TERM=xterm", true, true, false, uiLine, time.Hour, uiLine},
	} {
		e := Env{TTY: c.tty, Getenv: func(name string) string {
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
		o := outputFlags{ui: c.flag, quiet: c.quiet}
		if got := o.form(&e, c.length); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
