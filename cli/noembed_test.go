package cli

import (
	"os/exec"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/embedded"
)

// TestWithoutEmbedded: a binary without the server has none of its packages. With -tags noembed the test also covers what
// such a binary says.
func TestWithoutEmbedded(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "noembed", "..").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), "versity") {
		t.Error("a build with -tags noembed has packages of the embedded server")
	}
	if embedded.Built {
		return
	}
	for args, want := range map[string]string{
		"serve": "warp: serve: this warp was built without the embedded S3 server (-tags noembed); build it without that tag to have one\n",
		"get":   "warp: --host: missing value: this warp was built without the embedded S3 server (-tags noembed); build it without that tag to have one\n",
	} {
		env, _ := testEnv(args)
		var printed strings.Builder
		env.Stderr = &printed
		if code := Main(env); code != process.ExitUsage || printed.String() != want {
			t.Errorf("warp %s: exit code %d, prints %s", args, code, printed.String())
		}
	}
	env, out2 := testEnv("--help")
	if code := Main(env); code != process.ExitOK || !strings.Contains(out2.String(), "benchmarks need --host") {
		t.Errorf("exit code %d, help\n%s", code, out2)
	}
}
