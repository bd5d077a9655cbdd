package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/usage"
	"warp/pkg/bench/work"
)

// FuzzFlags gives a benchmark command any arguments, one on each line: they must make a plan that can be written down, or
// be a usage error with something to say, or ask for help.
func FuzzFlags(f *testing.F) {
	for _, seed := range []string{
		"", "--help", "--duration=1s\n--objects=10", "-objects\n10\n-range-size=1KiB", "--range=8B@end,1KiB@seq", "--range=1@@", "--range\n--range=false", "--host=a{1...3}:9000,b\n--access-key=a\n--secret-key=b",
		"--obj.size=4096:10,8192:5", "--obj.size=1KiB,1MiB\n--obj.randsize", "--rps-limit=NaN", "--rps-limit=1e400", "--autoterm\n--autoterm.pct=Inf",
		"--max-errors=0.1%", "--syncstart=17:05", "--put-distrib=NaN", "--analyze.op=get\n--analyze.dur=-1s", "--\nx", "-", "--tls=maybe",
		"--encrypt\n--host=https://a\n--signature=anonymous", "--seed=18446744073709551615", "--bucket=\n--prefix=\x00", "--concurrent=-1", "---", "-=", "--=x",
	} {
		for i := range work.Registry() {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		if strings.Contains(text, "file:") {
			t.Skip("reads files of this machine")
		}
		registry := work.Registry()
		env, out := testEnv()
		b := runs.New(&env, registry[int(which)%len(registry)])
		c := b.Command()
		planned := false
		c.Action = func(ctx context.Context, c *cli.Command) error {
			planned = true
			return b.MakePlan(ctx, c.IsSet)
		}
		c.OnUsageError, c.Writer, c.ErrWriter = usage.ParserError, out, out
		err := c.Run(context.Background(), append([]string{"warp"}, strings.Split(text, "\n")...))
		switch code := process.ExitCode(err); {
		case code == process.ExitUsage:
			if strings.TrimSpace(process.ErrorLines(err)) == "warp:" || process.ErrorLines(err) == "" {
				t.Errorf("%q: an error without words", text)
			}
		case code != process.ExitOK:
			t.Errorf("%q: exit code %d: %v", text, code, err)
		case planned:
			if _, err := json.Marshal(b.Plan); err != nil {
				t.Errorf("%q: the plan cannot be written: %v", text, err)
			}
		}
	})
}
