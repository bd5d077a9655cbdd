package process

import (
	"os"
	"testing"
)

func TestLocaleOfTerminal(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		ascii            bool
	}{
		{"", "", "en_US.UTF-8", false}, {"", "", "de_DE.utf8", false}, {"C", "", "en_US.UTF-8", true}, {"", "C.UTF-8", "C", false}, {"", "", "POSIX", true},
	} {
		env := testEnv()
		env.Getenv = func(name string) string {
			return map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}[name]
		}
		if got := env.ASCII(); got != c.ascii {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// testEnv is a process without any surroundings.
func testEnv() Env {
	return Env{Getenv: func(string) string { return "" }, Signals: make(chan os.Signal), Exit: func(int) { panic("exit") }}
}
