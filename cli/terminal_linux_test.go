package cli

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/internal/testkit"
)

// TestTerminal runs a benchmark that would take hours at a terminal, and ends it by a key or an interrupt: there is
// progress, the report and the clean-up, and the terminal is as it was.
func TestTerminal(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, c := range []struct {
		name string
		stop func(env process.Env, keyboard *os.File) error
		code int
		said string
	}{
		{"q", func(_ process.Env, keyboard *os.File) error { _, err := keyboard.WriteString("xq"); return err }, process.ExitOK, "Stopping: "},
		{"interrupt", func(env process.Env, _ *os.File) error { env.Signals <- os.Interrupt; return nil }, process.ExitInterrupted, "Interrupted: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			server, err := responder.New(responder.Options{Keep: true})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			keyboard, terminal := testkit.Terminal(t)
			before := testkit.Mode(t, terminal)
			env, out := testEnv("stat", "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--duration=10h",
				"--objects=20", "--concurrent=2", "--benchdata=run")
			var screen buffer
			env.Stderr, env.Keys, env.Screen, env.TTY = &screen, terminal, terminal, true
			code := make(chan int, 1)
			go func() { code <- Main(env) }()
			until(t, &screen, func() bool {
				if len(code) > 0 {
					t.Fatalf("no progress: %q", screen.String())
				}
				_, stage, _ := strings.Cut(screen.String(), "Benchmarking stat")
				return strings.Contains(stage, "p50")
			})
			if err := c.stop(env, keyboard); err != nil {
				t.Fatal(err)
			}
			if got := <-code; got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			for _, want := range []string{c.said, "Benchmarking stat", "Operations are recorded in run.csv.zst", "Cleaning up: 20 objects"} {
				if !strings.Contains(screen.String(), want) {
					t.Errorf("the screen lacks %q: %q", want, screen.String())
				}
			}
			if !strings.Contains(out.String(), "Operation: STAT") {
				t.Errorf("report: %s", out)
			}
			if testkit.Mode(t, terminal) != before {
				t.Error("the terminal is in another mode")
			}
		})
	}
}
