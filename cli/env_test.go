package cli

import "testing"

func TestLocaleOfTerminal(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		ascii            bool
	}{
		{"", "", "en_US.UTF-8", false}, {"", "", "de_DE.utf8", false}, {"C", "", "en_US.UTF-8", true}, {"", "C.UTF-8", "C", false}, {"", "", "POSIX", true},
	} {
		env, _ := testEnv()
		env.Getenv = func(name string) string {
			return map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}[name]
		}
		if got := env.ascii(); got != c.ascii {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
