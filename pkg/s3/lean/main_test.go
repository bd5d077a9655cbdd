package lean

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/testkit"
	"warp/pkg/load/loop"
)

// onLoop is the variable with which all tests of this package perform their exchanges on a loop; see TestOnLoop.
const onLoop = "WARP_TEST_ON_LOOP"

// testLoop performs exchanges; nil: goroutines do.
var testLoop *loop.Loop

func TestMain(m *testing.M) {
	testkit.Parallel(8) // tests wait more than they compute
	if os.Getenv(onLoop) != "" {
		var err error
		if testLoop, err = loop.New(false); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if testLoop != nil {
			testLoop.Close()
		}
		os.Exit(code)
	}), goleak.IgnoreTopFunction("warp/pkg/load/loop.(*Loop).pollUntil"), goleak.IgnoreAnyFunction("warp/pkg/load/loop.(*Loop).run"))
}

// perform calls what performs exchanges, on the loop if there is one.
func perform(ctx context.Context, f func(ctx context.Context)) {
	if testLoop == nil {
		f(ctx)
		return
	}
	over := make(chan struct{})
	testLoop.Task(ctx).Start(func(t *loop.Task) {
		defer close(over)
		f(t)
	})
	<-over
}

// TestOnLoop runs all tests again, with a loop.
func TestOnLoop(t *testing.T) {
	if testLoop != nil {
		return
	}
	if l, err := loop.New(false); err != nil {
		t.Skip("this system has no loops: ", err)
	} else {
		l.Close()
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=5m")
	cmd.Env = append(os.Environ(), onLoop+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
