package load

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAPanicIsNotSwallowed runs itself in a process of its own, which must end with the panic of the operation.
func TestAPanicIsNotSwallowed(t *testing.T) {
	const variable, text = "WARP_TEST_PANIC", "the operation is broken"
	if os.Getenv(variable) != "" {
		stats, err := Run(t.Context(), Options{Concurrency: 2, Executor: testExecutor()}, func(context.Context, Turn) error { panic(text) })
		t.Fatalf("the run went on: %+v, %v", stats, err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAPanicIsNotSwallowed$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: "+text) {
		t.Errorf("ended with %v and output:\n%s", err, out)
	}
}
