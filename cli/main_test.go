package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/cli/internal/process"
	"warp/internal/program"
	"warp/internal/testkit"
	"warp/view/terminal"
)

// TestMain makes the test binary be warp, and the programs that scripts need, when it is called by their names. The server
// embedded in warp is this binary too: warp calls itself by its path.
func TestMain(m *testing.M) {
	if terminal.IsGuard(os.Args[1:]) {
		os.Exit(terminal.GuardMain(os.Stdin)) // of a terminal, for a benchmark in this process
	}
	if program.IsKeeper(os.Args[1:]) {
		os.Exit(program.KeeperMain(os.Stdin))
	}
	testkit.Parallel(8)
	_ = os.Setenv("GOGC", "400") // for more than a thousand short processes: they take a seventh less CPU time
	testscript.Main(m, map[string]func(){
		"warp":    func() { os.Exit(Main(process.OS())) },
		"s3faker": s3Faker,
	})
}
