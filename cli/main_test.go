package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/cli/internal/process"
	"warp/internal/child"
	"warp/internal/program"
	"warp/internal/testkit"
	"warp/view/terminal"
)

// TestMain makes the test binary be warp, and the programs that scripts need, when it is called by their names. The server
// embedded in warp is this binary too: warp calls itself by its path.
func TestMain(m *testing.M) {
	// Children of benchmarks in this process. A warp in a process of its own starts its own.
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, program.Keeper, terminal.GuardChild); ran {
		os.Exit(code)
	}
	testkit.Parallel(8)
	_ = os.Setenv("GOGC", "400") // for more than a thousand short processes: they take a seventh less CPU time
	testscript.Main(m, map[string]func(){
		"warp":    func() { os.Exit(Main(process.OS())) },
		"s3faker": s3Faker, "azurefaker": azureFaker, "googlefaker": googleFaker,
	})
}
