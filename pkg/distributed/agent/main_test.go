package agent

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/child"
	"warp/internal/embedded"
	"warp/internal/testkit"
)

func TestMain(m *testing.M) {
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, embedded.Child); ran {
		os.Exit(code)
	}
	testkit.Parallel(8) // tests wait more than they compute
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
