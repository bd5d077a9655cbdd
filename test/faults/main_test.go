// Package faults runs warp, client and coordinator, as processes, and takes away what they rely on: processes are killed at
// every stage of a run, and networks delay, lose and stop what they carry.
package faults

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/cli"
	"warp/internal/testkit"
)

// TestMain makes the test binary be warp when it is called by that name. Under the race detector that warp has it too.
func TestMain(m *testing.M) {
	testkit.Parallel(8)
	testscript.Main(m, map[string]func(){"warp": func() { os.Exit(cli.Main(cli.OS())) }})
}
