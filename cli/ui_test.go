package cli

import (
	"strings"
	"testing"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
)

func TestFormThatIsNotPossible(t *testing.T) {
	for value, want := range map[string]string{
		flags.Full: "--ui: full needs a terminal at standard input and standard error (want line or plain)",
		flags.Line: "--ui: line needs a terminal at standard error (want plain)",
		"big":      `--ui: invalid value "big" (want full, line or plain)`,
	} {
		env, _ := testEnv("get", "--host=127.0.0.1:1", "--access-key=a", "--secret-key=b", "--ui="+value)
		var said strings.Builder
		env.Stderr = &said
		if code := Main(env); code != process.ExitUsage || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, %q, want %q", value, code, said.String(), want)
		}
	}
}
